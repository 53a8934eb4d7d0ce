"""Weight decay that outweighs the gradient of the loss and takes the weights to zero (td.08)."""

import math
import re
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import loss_figure
from msprec.checklists.common.setting_origin import DECAY, argument_origin
from msprec.checklists.td.outcome.assessment import assess
from msprec.engine.finding import Finding, problem, table
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Optimizers that take the decay off the weights by itself, beside an update that the gradient's size does not enter.
_DECOUPLED = re.compile(r"AdamW|AdamWeightDecay", re.IGNORECASE)


class _Pull(NamedTuple):
    """One weight: its root mean square at the start and at the end, and the decay's pull over the gradient's (None: not seen)."""

    weight: Fact
    start: float
    end: float
    ratio: Optional[float]


def decay_outweighs(run_data: RunData) -> Optional[Finding]:
    """A problem where a training learnt nothing, each weight ends below td.08.shrunk of its size at the start, and its decay
    pulled td.08.pull times as hard as the gradient of the loss in the first sampled step; None elsewhere.

    The pull of a decay λ on a weight w is λ ‖w‖ beside ‖∂L/∂w‖, and λ times the root mean square of w beside 1 where an optimizer
    decays apart from an update of normalised size (Loshchilov and Hutter 2019).
    """
    used = [one for one in run_data.optimizers if one.used is not False and _decay(one) > 0]
    if len(used) != 1 or run_data.once(assess).state not in ("nothing", "got_worse"):
        return None
    optimizer = used[0]
    names = set(optimizer.parameter_names)
    weights = [one for one in run_data.parameters if one.kind == "weight" and len(one.shape) > 1 and one.name in names]
    pulls = [_pull(run_data, optimizer, one) for one in weights]
    if not pulls or any(one.end > run_data.limit("td.08.shrunk") * one.start for one in pulls):
        return None
    known = [one.ratio for one in pulls if one.ratio is not None]
    if not known or min(known) < run_data.limit("td.08.pull"):
        return None
    return problem(
        Text(
            "权重衰减 {decay} 压过了 loss：训练开始时它对各权重的拉力至少为 loss 梯度的 {ratio} 倍，"
            "{n} 个权重最后都不到开始时的 {left}，训练什么也没有学到。",
            "The weight decay of {decay} outweighs the loss: at the start it pulls at each weight at least {ratio} times as hard "
            "as the gradient of the loss does, all {n} weights end below {left} of their size, and nothing was learnt.",
            decay=_decay(optimizer),
            ratio=float(f"{min(known):.2g}"),
            n=len(pulls),
            left=float(f"{max(one.end / one.start for one in pulls):.1g}"),
        ),
        Text(
            "把 weight_decay 降到 1e-4 左右（AdamWeightDecay 为 1e-2），再运行。",
            "Set weight_decay to about 1e-4 (1e-2 with AdamWeightDecay) and run again.",
        ),
        [_table(pulls), loss_figure(run_data)],
        [one for one in (optimizer.place, *argument_origin(run_data, optimizer.place, DECAY)) if one],
    )


def _decay(optimizer: Fact) -> float:
    decay = optimizer.weight_decay
    return float(decay) if isinstance(decay, (int, float)) and math.isfinite(decay) else 0.0


def _pull(run_data: RunData, optimizer: Fact, weight: Fact) -> _Pull:
    start, end = _level(weight.initial), _level(weight.final)
    decay = _decay(optimizer)
    if _DECOUPLED.search(optimizer.class_ or ""):
        return _Pull(weight, start, end, decay * start)
    rows = [one for one in run_data.gradients() if one.get("parameter") == weight.name and one.get("norm")]
    norm = float(min(rows, key=lambda one: one["step"])["norm"]) if rows else 0.0
    return _Pull(weight, start, end, decay * start * math.sqrt(weight.size) / norm if norm > 0 else None)


def _level(values: Fact) -> float:
    """The root mean square of a weight; infinite where it is not known."""
    if values.mean is None or values.std is None:
        return math.inf
    return math.hypot(values.mean, values.std)


def _table(pulls: list):
    rows = [[one.weight.name, one.start, one.end, one.ratio] for one in pulls]
    columns = [
        Text("权重", "weight"),
        Text("开始时的均方根", "root mean square at the start"),
        Text("结尾", "at the end"),
        Text("衰减的拉力为 loss 梯度的倍数", "pull of the decay over the gradient of the loss"),
    ]
    return table(Text("权重与权重衰减", "Weights and their decay"), columns, rows)
