"""An ``eps`` of Adam and its kin far above the gradients, which takes their steps away (hp.01)."""

import ast
import math
import re
from typing import Optional

import numpy as np

from msprec.bilingual import Text, percent
from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.checklists.common.training.constant_prediction import BesideConstant
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name

#: Optimizers that divide by the root of the squared gradients plus eps.
_DIVIDES = re.compile(r"Adam|RMSProp|Adagrad|LAMB", re.IGNORECASE)
_EPS = ArgumentName(("eps", "epsilon"), 99)
#: Above all defaults of MindSpore's optimizers (1e-10 to 1e-6): where gradients drown in one, it is they that are wrong.
_DEFAULT = 1e-5


def large_eps(run_data: RunData, optimizers: list, outcome: BesideConstant, evidence: list) -> Optional[Finding]:
    """The problem where ``eps`` is hp.01.eps times the root mean square of the sampled gradients or more, in a training that came
    less than hp.01.half_way below a constant prediction; or hp.01.usual_eps or more, in one that came to nothing.

    A step is rate · m / (√v + eps) (Kingma and Ba 2015): about the rate where the gradients g are far above eps, and g / eps
    of it where they are far below.
    """
    gain, nothing = outcome.gain, came_to_nothing(run_data)
    if not nothing and (gain is None or gain >= run_data.limit("hp.01.half_way")):
        return None
    for optimizer in optimizers:
        eps = eps_of(run_data, optimizer)
        size = _gradient_size(run_data) if eps is not None else None
        if eps is None or not size or gain is None or eps < run_data.limit("hp.01.eps") * size:
            if nothing and (eps or 0.0) >= run_data.limit("hp.01.usual_eps"):
                return _far_above_usual(run_data, optimizer, eps, evidence)
            continue
        return problem(
            Text(
                "{name} 的 eps 为 {eps}，是梯度均方根 {size} 的 {times} 倍：每步的更新只有学习率的 {share}，"
                "训练结束时的 loss 只比常数预测低 {gain}。",
                "The eps of {name} is {eps}, {times} times the root mean square of the gradients, {size}: an update is {share} "
                "of the learning rate, and the training ended only {gain} below the loss of a constant prediction.",
                name=optimizer.class_,
                eps=eps,
                size=float(f"{size:.2g}"),
                times=round(eps / size),
                share=f"1/{1 + eps / size:.0f}",
                gain=percent(max(gain, 0.0)),
            ),
            Text("用默认的 eps（1e-8）再运行。", "Run again with the default eps, 1e-8."),
            evidence,
            [optimizer.place, *argument_origin(run_data, optimizer.place, _EPS, optimizer.class_ or "")],
        )
    return None


def _far_above_usual(run_data: RunData, optimizer: Fact, eps: Optional[float], evidence: list) -> Finding:
    return problem(
        Text(
            "{name} 的 eps 为 {eps}，过大，与其他问题无关：小于它的梯度只使权重移动学习率的一小部分；默认值为 1e-8。",
            "The eps of {name} is {eps}, too large whatever else is wrong: where gradients are smaller, an update is a small "
            "part of the learning rate. The default is 1e-8, and nothing was learnt.",
            name=optimizer.class_,
            eps=eps,
        ),
        Text("用默认的 eps（1e-8）再运行。", "Run again with the default eps, 1e-8."),
        evidence,
        [optimizer.place, *argument_origin(run_data, optimizer.place, _EPS, optimizer.class_ or "")],
    )


def eps_of(run_data: RunData, optimizer: Fact) -> Optional[float]:
    """``eps`` as the optimizer holds it, or as it is written where that was not recorded; None where it is no number, may be a
    default, or the optimizer has none."""
    if not optimizer.place or not _DIVIDES.search(optimizer.class_ or ""):
        return None
    if optimizer.eps is not None:
        return optimizer.eps if optimizer.eps > _DEFAULT else None
    for call in run_data.source.nodes_at(optimizer.place.file, optimizer.place.line, ast.Call):
        for given in call.keywords if called_name(call) == optimizer.class_ else ():
            value = getattr(given.value, "value", None)
            if given.arg in _EPS.names and isinstance(value, (int, float)):
                return float(value)
    return None


def _gradient_size(run_data: RunData) -> Optional[float]:
    """The root mean square of a gradient's elements: the median over the sampled steps."""
    steps: dict = {}
    for row in run_data.gradients():
        if row.get("norm") is not None and row.get("size") and math.isfinite(row["norm"]):
            squares, elements = steps.get(row.get("step"), (0.0, 0))
            steps[row.get("step")] = (squares + row["norm"] ** 2, elements + row["size"])
    sizes = [math.sqrt(squares / elements) for squares, elements in steps.values()]
    return float(np.median(sizes)) if sizes else None
