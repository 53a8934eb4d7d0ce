"""Weight decay that outweighs the gradient of the loss and takes the weights to zero (td.08)."""

import math
import re
from collections.abc import Callable
from typing import NamedTuple, Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.findings import loss_figure, train_sets
from msprec.checklists.common.script.setting_origin import DECAY, argument_origin
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.checklists.common.training.further_training import further_training
from msprec.checklists.common.training.simple_predictors import behind_simple_predictor
from msprec.checklists.common.training.training_curves import is_steep, training_curve
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.checklists.common.weights.weight_updates import usual_size
from msprec.checklists.td.outcome.assessment import assess
from msprec.engine.finding import Finding, problem, table
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Optimizers that take the decay off the weights by itself, beside an update that the gradient's size does not enter.
_DECOUPLED = re.compile(r"AdamW|AdamWeightDecay", re.IGNORECASE)
#: Others that take rate times decay off each weight; those as Adam scale the decay with the gradient.
_PLAIN = ("sgd", "momentum")
#: At which position MindSpore's optimizers take their decay.
_POSITIONS = {"Momentum": 3, "SGD": 4, "Adam": 7, "AdamWeightDecay": 5}
_LOWER = Text(
    "把 weight_decay 降到 1e-4 左右（AdamWeightDecay 为 1e-2），再运行；"
    "它不是 Keras 的 decay，学习率的衰减要写成学习率调度（如 nn.InverseDecayLR）。",
    "Set weight_decay to about 1e-4 (1e-2 with AdamWeightDecay) and run again; it is not Keras's decay: a rate that "
    "decays is a schedule, such as nn.InverseDecayLR.",
)


class _Pull(NamedTuple):
    """One weight: its root mean square at the start and at the end, and the decay's pull over the gradient's at both times
    (None: not seen)."""

    weight: Fact
    start: float
    end: float
    ratio: Optional[float]
    last: Optional[float] = None


def decay_outweighs(run_data: RunData) -> Optional[Finding]:
    """A problem where a training learnt nothing, each weight ends below td.08.shrunk of its size at the start, and its decay
    pulled at most of them td.08.pull times as hard as the gradient of the loss in the first sampled step; or where it stopped
    before td.08.half_way below a constant prediction, the norm of all weights came below td.08.half of what it was, and the
    decay pulls td.08.balance times as hard as the gradient to the end; None elsewhere.

    The pull of a decay λ on a weight w is λ ‖w‖ beside ‖∂L/∂w‖, and λ times the root mean square of w beside that of the update
    where an optimizer decays apart from an update of normalised size (Loshchilov and Hutter 2019), td.08.update.
    """
    used = _decaying(run_data)
    nothing, gain = run_data.once(assess).state in ("nothing", "got_worse"), learning_outcome(run_data).gain
    little = gain is not None and gain < run_data.limit("td.08.half_way")
    if len(used) != 1 or not (nothing or little):
        return None
    optimizer = used[0]
    pulls = _pulls(run_data, optimizer)
    known = [one.ratio for one in pulls if one.ratio is not None]
    if not known or np.median(known) < run_data.limit("td.08.pull"):
        return None
    taken = nothing and all(one.end <= run_data.limit("td.08.shrunk") * one.start for one in pulls)
    if not taken and (_still_falls(run_data) or not _held_up(run_data, pulls)):
        return None
    return problem(
        Text(
            "权重衰减 {decay} 压过了 loss：训练开始时{pull}，{n} 个权重的范数最后是开始时的 {left} 倍，{learnt}。",
            "The weight decay of {decay} outweighs the loss: at the start {pull}, the norm of all {n} weights ends at {left} of "
            "what it was, and {learnt}.",
            decay=_decay(optimizer),
            pull=_pull_words(float(np.median(known))),
            n=len(pulls),
            left=float(f"{_norm(pulls, 'end') / _norm(pulls, 'start'):.2g}"),
            learnt=Text("训练什么也没有学到", "nothing was learnt") if taken else _stopped(gain),
        ),
        _LOWER,
        [_table(pulls), loss_figure(run_data)],
        _places(run_data, optimizer),
    )


def decay_far_above_usual(run_data: RunData) -> Optional[Finding]:
    """A problem where a training came to nothing, the decay is td.08.usual_decay or more (ten times that where an optimizer
    decays apart), and it pulled at most weights td.08.pull times as hard as the gradient in the first sampled step, or the
    penalty that it stands for, λ/2 ‖w‖², was td.08.penalty times the loss of a constant prediction at the start, whatever else is
    wrong; or where a training stays behind a simple predictor (td.08.behind), and such a decay pulls td.08.balance times as hard
    as the gradient to the end; None elsewhere. Where an optimizer decays apart, it is asked of weights as large as they are
    usually drawn."""
    used = _decaying(run_data)
    if len(used) != 1:
        return None
    if not came_to_nothing(run_data):
        return _still_pulls(run_data, used[0])
    optimizer = used[0]
    usual = run_data.limit("td.08.usual_decay") * (10 if _DECOUPLED.search(optimizer.class_ or "") else 1)
    pulls = _pulls(run_data, optimizer, usual_size)
    known = [one.ratio for one in pulls if one.ratio is not None]
    if _decay(optimizer) < usual:
        return None
    if not known or np.median(known) < run_data.limit("td.08.pull"):
        return _penalised(run_data, optimizer, pulls)
    return problem(
        Text(
            "权重衰减 {decay} 过大，与其他问题无关：训练开始时{pull}，而训练没有学到东西。",
            "The weight decay of {decay} is too large, whatever else is wrong: at the start {pull}, and nothing was learnt.",
            decay=_decay(optimizer),
            pull=_pull_words(float(np.median(known))),
        ),
        _LOWER,
        [loss_figure(run_data)],
        _places(run_data, optimizer),
    )


def _still_pulls(run_data: RunData, optimizer: Fact) -> Optional[Finding]:
    """The problem of a decay beside the gradient that takes back, in a training that stays far behind, what the loss gains."""
    behind = behind_simple_predictor(run_data, learning_outcome(run_data), "td.08.behind") is not None
    apart = _DECOUPLED.search(optimizer.class_ or "")
    last = [one.last for one in _pulls(run_data, optimizer) if one.last is not None]
    if apart or not behind or _decay(optimizer) < run_data.limit("td.08.usual_decay") or not last:
        return None
    if min(last) < run_data.limit("td.08.balance"):
        return None
    return problem(
        Text(
            "权重衰减 {decay} 过大：训练结束时它对每个权重的拉力仍不小于 loss 梯度的 {ratio} 倍，而训练不如简单的预测。",
            "The weight decay of {decay} is too large: at the end it still pulls at each weight {ratio} times as hard as the "
            "gradient of the loss, or harder, and the training stays behind a simple predictor.",
            decay=_decay(optimizer),
            ratio=float(f"{min(last):.2g}"),
        ),
        _LOWER,
        [loss_figure(run_data)],
        _places(run_data, optimizer),
    )


def _pull_words(ratio: float) -> Text:
    if math.isinf(ratio):
        return Text(
            "loss 对多数权重没有梯度，只有衰减在改变它们",
            "the loss has no gradient for half of the weights or more, and the decay alone changes them",
        )
    return Text(
        "它对多数权重的拉力至少为 loss 梯度的 {ratio} 倍",
        "it pulls at half of the weights or more {ratio} times as hard as the gradient of the loss does",
        ratio=float(f"{ratio:.2g}"),
    )


def _penalised(run_data: RunData, optimizer: Fact, pulls: list) -> Optional[Finding]:
    """The problem of a decay that is added to the gradient, the minimum of the loss and λ/2 ‖w‖² together: weights as large as
    they were drawn cost more than all that the loss can gain."""
    outcome = learning_outcome(run_data)
    if _DECOUPLED.search(optimizer.class_ or "") or outcome.constant is None or not pulls:
        return None
    penalty = _decay(optimizer) / 2 * _norm(pulls, "start") ** 2
    level = outcome.constant_value
    if not (level > 0 and run_data.limit("td.08.penalty") * level <= penalty < math.inf):
        return None
    return problem(
        Text(
            "权重衰减 {decay} 过大，与其他问题无关：它相当于在 loss 上加 λ/2·‖w‖²，训练开始时这一项为 {penalty}，"
            "而常数预测的 loss 只有 {level}；训练没有学到东西。",
            "The weight decay of {decay} is too large, whatever else is wrong: it stands for a penalty λ/2 ‖w‖², which is "
            "{penalty} with the first weights, where the loss of a constant prediction is {level}; nothing was learnt.",
            decay=_decay(optimizer),
            penalty=penalty,
            level=level,
        ),
        _LOWER,
        [loss_figure(run_data)],
        _places(run_data, optimizer),
    )


def decay_forgets(run_data: RunData) -> Optional[Finding]:
    """A problem where the decay takes so much off the weights at each update that what they hold fades within td.08.horizon
    updates and within one pass over the data, in a training of td.08.horizons such times or more that did not come
    td.08.all_but below a constant prediction, or came to nothing.

    A decay λ at a rate η leaves 1 - ηλ of a weight at an update, so that it is an average of what the last 1/(ηλ) updates put in
    (Wang and Aitchison 2024), of (1 - m)/(ηλ) with a momentum m.
    """
    used = _decaying(run_data)
    gain = learning_outcome(run_data).gain
    if len(used) != 1 or (gain is None and not came_to_nothing(run_data)):
        return None
    if gain is not None and gain >= run_data.limit("td.08.all_but"):
        return None
    optimizer, rate = used[0], used[0].learning_rate.value
    name = optimizer.class_ or ""
    if rate is None or not (_DECOUPLED.search(name) or name.lower() in _PLAIN):
        return None
    momentum = optimizer.momentum if isinstance(optimizer.momentum, (int, float)) else 0.0
    horizon = max(1, round((1 - momentum) / max(rate * _decay(optimizer), 1e-12)))
    batches = max(((one.samples_per_pass or 0) / (one.batch_size or 1) for one in train_sets(run_data)), default=0.0)
    longest = min(run_data.limit("td.08.horizon"), batches)
    if horizon > longest or (optimizer.updates or 0) < run_data.limit("td.08.horizons") * horizon:
        return None
    return problem(
        Text(
            "权重衰减 {decay} 与学习率 {rate} 的乘积过大：权重中的内容在约 {horizon} 次更新内就消失，不到一遍数据"
            "（{batches} 个 batch）；{learnt}。",
            "The weight decay of {decay} at a learning rate of {rate} is too large: what the weights hold fades within about "
            "{horizon} updates, no more than a pass over the data has ({batches}), and {learnt}.",
            decay=_decay(optimizer),
            rate=rate,
            horizon=horizon,
            batches=math.ceil(batches),
            learnt=_stopped(gain)
            if gain is not None and gain > 0
            else Text("训练什么也没有学到", "nothing was learnt"),
        ),
        _LOWER,
        [loss_figure(run_data)],
        _places(run_data, optimizer),
    )


def decay_holds_back(run_data: RunData) -> Optional[Finding]:
    """A problem where the weights that the script left, trained on at its rate without the weight decay, bring the loss of
    batches that were kept back down by td.08.freed of what there was to lose more than with it, and to td.08.left of that, or by
    td.08.freed_several and to td.08.left_several; None elsewhere.
    """
    used, further, tried = _decaying(run_data), further_training(run_data), run_data.probes.further.without_decay
    own = further.own if further is not None else None
    if len(used) != 1 or further is None or own is None or not further.apart or not tried.after:
        return None
    kept, freed = min(own.after, further.before), float(np.mean(tried.after))
    gained = kept - freed
    limits = [(f"td.08.freed{of}", f"td.08.left{of}") for of in ("", "_several")]
    enough = (gained >= run_data.limit(a) * further.level and freed <= run_data.limit(b) * kept for a, b in limits)
    if not np.isfinite(kept + freed) or not any(enough):
        return None
    return problem(
        Text(
            "权重衰减 {decay} 压住了学习：从结束时的权重再训练 {steps} 步，未参与这些步的 batch 的 loss 在有衰减时为 {kept}，"
            "去掉衰减后为 {freed}（之前为 {before}）。",
            "The weight decay of {decay} holds the training back: {steps} steps more from its last weights, and the loss of "
            "batches kept back is {kept} with the decay and {freed} without it ({before} before).",
            decay=_decay(used[0]),
            steps=tried.steps,
            kept=kept,
            freed=freed,
            before=further.before,
        ),
        _LOWER,
        [loss_figure(run_data)],
        _places(run_data, used[0]),
    )


def _still_falls(run_data: RunData) -> bool:
    """Whether the loss was still falling at the end, or that is not known."""
    training = training_curve(run_data)
    return training is None or is_steep(run_data, training)


def _stopped(gain: Optional[float]) -> Text:
    return Text(
        "训练停在常数预测的 loss 以下 {gain} 处",
        "the training stops {gain} below the loss of a constant prediction",
        gain=f"{100 * (gain or 0.0):.0f} %",
    )


def _decaying(run_data: RunData) -> list:
    """The optimizers that were used with a decay."""
    return [one for one in run_data.optimizers if one.used is not False and _decay(one) > 0]


def _places(run_data: RunData, optimizer: Fact) -> list:
    """Where the optimizer is made, and where its decay comes from."""
    name = optimizer.class_ or ""
    decay = DECAY._replace(position=_POSITIONS.get(name, DECAY.position))
    return [one for one in (optimizer.place, *argument_origin(run_data, optimizer.place, decay, name)) if one]


def _decay(optimizer: Fact) -> float:
    return float(optimizer.weight_decay or 0.0)


def _pulls(run_data: RunData, optimizer: Fact, least: Callable[[Fact], float] = lambda _: 0.0) -> list:
    """Of each weight that the optimizer has; ``least`` is the size that a weight is taken to have at least where it decays
    apart."""
    names = set(optimizer.parameter_names)
    weights = [one for one in run_data.parameters if one.kind == "weight" and len(one.shape) > 1 and one.name in names]
    return [_pull(run_data, optimizer, one, least(one)) for one in weights]


def _pull(run_data: RunData, optimizer: Fact, weight: Fact, least: float) -> _Pull:
    start, end = _level(weight.initial), _level(weight.final)
    decay = _decay(optimizer)
    if _DECOUPLED.search(optimizer.class_ or ""):
        update = run_data.limit("td.08.update")
        return _Pull(weight, start, end, decay * max(start, least) / update, decay * max(end, least) / update)
    rows = [one for one in run_data.gradients() if one.get("parameter") == weight.name and one.get("norm") is not None]
    seen = bool(rows)
    rows = sorted((one for one in rows if float(one["norm"]) > 0), key=lambda one: one["step"])
    if not rows:
        return _Pull(weight, start, end, math.inf if seen else None)
    whole = decay * math.sqrt(weight.size)
    return _Pull(weight, start, end, whole * start / float(rows[0]["norm"]), whole * end / float(rows[-1]["norm"]))


def _held_up(run_data: RunData, pulls: list) -> bool:
    """Whether all weights together shrank below td.08.half of their norm, and the decay pulls at them to the end
    td.08.balance times as hard as the gradient of a batch: what the loss gains the decay takes back."""
    sizes = np.array([one.weight.size for one in pulls], float)
    start, end = _norm(pulls, "start"), _norm(pulls, "end")
    if not np.isfinite(start + end) or any(not one.last for one in pulls):
        return False
    # the gradient of a weight is its decay's pull over the ratio of the two
    gradient = np.sqrt(sizes @ np.square([one.end / (one.last or math.inf) for one in pulls]))
    return end < run_data.limit("td.08.half") * start and end >= run_data.limit("td.08.balance") * gradient


def _norm(pulls: list, at: str) -> float:
    return math.sqrt(sum(one.weight.size * getattr(one, at) ** 2 for one in pulls))


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
