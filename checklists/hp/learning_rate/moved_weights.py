"""What the weights' change over the run tells of the learning rate, where no probe does (hp.01)."""

import math
import re
from typing import NamedTuple, Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.training.constant_prediction import BesideConstant, training_losses
from msprec.checklists.common.training.given_gradients import rate_sized
from msprec.checklists.common.training.sum_of_rates import drawn_weights, lasting
from msprec.checklists.common.training.training_segments import last_training_start, rates_of
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.checklists.common.weights.weight_updates import nothing_updated, usual_size
from msprec.checklists.td.units.initial_weights import fading_signal
from msprec.checklists.td.units.lost_units import Lost, Moments
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: The usual rate of optimizers whose steps go with the gradients, by a part of their name: of Adadelta its default.
_USUAL = (("adadelta", 1.0), ("sgd|momentum|adagrad", 0.01))
_USUAL_ADAPTIVE = 0.001
#: What Adadelta's step is of its rate, at most, over the first thousand: it begins at the root of its eps (Zeiler 2012, 1e-6).
_ADADELTA_STEP = 0.01


class Moved(NamedTuple):
    """The weights' change over the run under an optimizer whose steps have about the size of the rate: the largest as a share of
    its weight's norm; the largest of a single value beside the sum of all rates; and the rate beside the root mean square of a
    weight at the start, the median over the weights (where it is not known, that is at most max|Δw| · ‖w‖ ÷ ‖Δw‖)."""

    most: float
    straight: float
    step: float


def moved(run_data: RunData, used: float, optimizers: list) -> Optional[Moved]:
    """None of a run with several trainings or another optimizer, or where the change of no weight is known."""
    rates = run_data.steps().observed("lr")
    weights = [one for one in run_data.parameters if one.requires_grad and one.kind == "weight"]
    weights = [one for one in weights if one.moved.relative is not None and one.moved.max_abs is not None]
    known = [one.moved for one in weights]
    if not (rate_sized(optimizers) and known and len(rates) and np.isfinite(rates).all()):
        return None
    if last_training_start(run_data):
        return None
    sizes = [_size(one) for one in weights]
    steps = [used / size for size in sizes if size > 0]
    largest, whole = max(one.max_abs for one in known), float(rates.sum())
    return Moved(
        max(one.relative for one in known),
        largest / whole if whole > 0 else 0.0,
        float(np.median(steps)) if steps else 0.0,
    )


def _size(weight: Fact) -> float:
    """The root mean square of a weight at the start."""
    start = math.hypot(weight.initial.std or 0.0, weight.initial.mean or 0.0)
    change = weight.moved
    return start or (change.max_abs / change.relative if change.relative else 0.0)


def far_below_usual(
    run_data: RunData, used: float, outcome: BesideConstant, evidence: list, places: list
) -> Optional[Finding]:
    """The problem where a loss made no progress, no weight changed by hp.01.moved_least of its norm, and the rate of an optimizer
    whose steps go with the gradients (SGD, Momentum, Adadelta) is hp.01.below_usual of the usual one or less.

    Its steps grow with the rate, so that the usual one would have moved the weights. None of weights that did not change at
    all, whose gradients are to blame, and of weights that were loaded.
    """
    drawn = drawn_weights(run_data)
    if drawn is None or outcome.verdict == "learnt":
        return None
    one, weights = drawn
    usual = _usual_rate(one)
    most = run_data.limit("hp.01.below_usual")
    if usual is None or used * lasting(one) > most * usual * (1 + 1e-6):  # rates are recorded in float32
        return None
    changes = [weight.moved.relative or 0.0 for weight in weights]
    losses = _still_losses(run_data)
    if losses is None or not min(changes) or max(changes) >= run_data.limit("hp.01.moved_least"):
        return None
    return problem(
        Text(
            "学习率 {used} 过小：{steps} 步训练后，权重的变化最多只有其范数的 {moved}，loss 从 {first} 到 {last}，没有进展；"
            "{optimizer} 常用的学习率约为 {usual}。",
            "The learning rate of {used} is too small: {steps} steps changed the weights by {moved} of their norm at most, and "
            "the loss made no progress ({first} to {last}); usual for {optimizer} is about {usual}.",
            optimizer=one.class_,
            usual=usual,
            **_course(used, losses, max(changes)),
        ),
        Text("先用常用的学习率再运行。", "Run again with what is usual."),
        evidence,
        places,
    )


def far_above_usual(
    run_data: RunData, used: float, outcome: BesideConstant, evidence: list, places: list
) -> Optional[Finding]:
    """The problem where a training that came to nothing had hp.01.above_usual times the usual rate or more (0.001 of an optimizer
    whose steps are as large as the rate, else as `far_below_usual`), whatever else is wrong with it. None of weights that were
    loaded, and of those that nothing changed."""
    known = outcome.verdict in ("nothing", "diverged") and None not in (outcome.constant, outcome.end)
    few = outcome.verdict == "unknown" and came_to_nothing(run_data)
    drawn = drawn_weights(run_data)
    above = (known or few) and is_above_usual(run_data, used, "hp.01.above_usual")
    if drawn is None or not above or nothing_updated(run_data):
        return None
    one, usual = drawn[0], _beside_usual(drawn[0], used)[0]
    return problem(
        Text(
            "学习率 {used} 过大，与其他问题无关：{optimizer} 常用的学习率约为 {usual}，而训练没有学到东西{what}。",
            "The learning rate of {used} is too large, whatever else is wrong: usual for {optimizer} is about {usual}, and "
            "nothing was learnt{what}.",
            used=used,
            optimizer=one.class_,
            usual=usual,
            what=Text("（{what}）", " ({what})", what=outcome.words()) if known else Text("", ""),
        ),
        Text("先用常用的学习率再运行。", "Run again with what is usual."),
        evidence,
        places,
    )


def is_above_usual(run_data: RunData, used: Optional[float], times: str) -> bool:
    """Whether the rate of the one optimizer is so many times the usual one or more; ``times``: the threshold's name."""
    reached = _times_usual(run_data, used) if used is not None else None
    return reached is not None and reached >= run_data.limit(times) * (1 - 1e-6)


def is_far_below_usual(run_data: RunData, used: float) -> bool:
    """Whether the rate of the one optimizer is hp.01.below_usual of the usual one or less, its momentum counted."""
    reached = _times_usual(run_data, used)
    return reached is not None and reached <= run_data.limit("hp.01.below_usual") * (1 + 1e-6)


def _times_usual(run_data: RunData, used: float) -> Optional[float]:
    """The rate of the one optimizer, its momentum counted, in usual ones; None where that is not known."""
    drawn = drawn_weights(run_data)
    usual, reached = _beside_usual(drawn[0], used) if drawn is not None else (None, 0.0)
    return reached / usual if usual else None


def _beside_usual(optimizer: Fact, used: float) -> tuple:
    """``(the usual rate or None, what the rate comes to beside it)``: with its momentum, where a step is not as large as the
    rate."""
    adaptive = rate_sized([optimizer])
    return (_USUAL_ADAPTIVE, used) if adaptive else (_usual_rate(optimizer), used * lasting(optimizer))


def _step_beside_rate(optimizer: Fact) -> Optional[float]:
    """The largest step of an optimizer beside its rate, where that does not go with the gradients; None where it does."""
    if re.search("adadelta", optimizer.class_ or "", re.IGNORECASE):
        return _ADADELTA_STEP
    return 1.0 if rate_sized([optimizer]) else None


def _usual_rate(optimizer: Fact) -> Optional[float]:
    """The usual rate of an optimizer whose steps go with the gradients; None of any other."""
    return next((rate for name, rate in _USUAL if re.search(name, optimizer.class_ or "", re.IGNORECASE)), None)


class _Still(NamedTuple):
    """A loss that made no progress: the number of steps, and its mean over the first and the last tenth."""

    steps: int
    first: float
    last: float


def _still_losses(run_data: RunData) -> Optional[_Still]:
    """None of few steps, of losses that are not finite, and of one that changed by hp.01.learnt."""
    found = run_data.once(training_losses)
    # of optimizers that take turns, as in a GAN, neither loss has to fall, but both move
    losses = found[1] if found is not None else run_data.steps().observed("loss")
    if len(losses) < run_data.limit("hp.01.outcome_steps") or not np.isfinite(losses).all():
        return None
    part = max(4, len(losses) // 10)
    first, last = float(losses[:part].mean()), float(losses[-part:].mean())
    still = abs(first - last) < run_data.limit("hp.01.learnt") * abs(first)
    return _Still(len(losses), first, last) if still else None


def _course(used: float, losses: _Still, most: float) -> dict:
    """What a finding says of weights that hardly moved."""
    return {
        "used": used,
        "steps": losses.steps,
        "moved": f"{100 * most:.2g} %",
        "first": losses.first,
        "last": losses.last,
    }


def out_of_reach(
    run_data: RunData, used: float, outcome: BesideConstant, evidence: list, places: list
) -> Optional[Finding]:
    """The problem where no weight could have changed by hp.01.reach of a training that learnt nothing: under an optimizer whose
    steps are as large as the rate, whatever the gradients, all steps in one direction; under another, where no weight changed,
    gradients of norm 1, always in one direction; or by hp.01.reach_below_usual at hp.01.below_usual of the usual rate or less.
    It is a share of the smallest weight's size or norm, of weights that start at zero that which they are usually drawn with;
    tables of embeddings, which are drawn at any size, count where there is nothing else. None of weights that were loaded."""
    rates = rates_of(run_data)
    drawn = drawn_weights(run_data)
    if outcome.verdict != "nothing" or drawn is None or not len(rates) or not np.isfinite(rates).all():
        return None
    one, weights = drawn
    step = _step_beside_rate(one)
    adaptive, still = step is not None, all(weight.moved.any is False for weight in weights)
    if not (adaptive or still):
        return None
    way = float(rates.sum()) * (step or lasting(one))
    layers = [p for p in weights if "Embedding" not in (p.cell_class or "")] or weights
    each = [(_size(p) or usual_size(p), p.size or 1) for p in layers]
    least = min((size * (1 if adaptive else math.sqrt(count)) for size, count in each if size > 0), default=0.0)
    usual = _usual_rate(one) or (_USUAL_ADAPTIVE if adaptive else None)
    far_below = usual is not None and used <= run_data.limit("hp.01.below_usual") * usual
    if not least or way >= run_data.limit("hp.01.reach_below_usual" if far_below else "hp.01.reach") * least:
        return None
    unit = Text("", "") if adaptive else Text("（梯度范数为 1）", " of gradients of norm 1")
    raised = Text(
        "把学习率提高到常用的量级（SGD 约 0.01，Adam 约 0.001，Adadelta 为 1）。",
        "Raise the rate to what is usual (about 0.01 of SGD, 0.001 of Adam, 1 of Adadelta).",
    )
    after_that = Text(
        "先解决权重没有变化的原因（cg.02、cg.04、td.02），再把学习率提高到常用的量级（SGD 约 0.01，Adam 约 0.001）。",
        "Find first why the weights do not change (cg.02, cg.04, td.02), and raise the rate to what is usual (about 0.01 of "
        "SGD, 0.001 of Adam).",
    )
    return problem(
        Text(
            "学习率 {used} 过小，与其他问题无关：{steps} 步{unit}即使始终朝同一方向，也只能使各层的权重改变其大小的 {share}。",
            "The learning rate of {used} is too small, whatever else is wrong: {steps} steps{unit}, all in one direction, could "
            "have moved no layer's weights by more than {share} of their size.",
            used=used,
            steps=len(rates),
            unit=unit,
            share=f"{100 * way / least:.2g} %",
        ),
        after_that if still else raised,
        evidence,
        places,
    )


def still_on_its_first_way(
    run_data: RunData, used: float, outcome: BesideConstant, evidence: list, places: list
) -> Optional[Finding]:
    """The problem where a training that ended above a constant prediction used hp.01.below_usual of 0.001 or less under an
    optimizer whose steps are as large as the rate, its loss still fell, and the value that changed most went as straight on as
    hp.01.straight: gradients that never turned round want larger steps, whatever else is wrong. None of weights that were loaded.
    """
    drawn = drawn_weights(run_data)
    if drawn is None or outcome.verdict != "nothing" or used > run_data.limit("hp.01.below_usual") * _USUAL_ADAPTIVE:
        return None
    change, found = moved(run_data, used, [drawn[0]]), run_data.once(training_losses)
    if change is None or change.straight < run_data.limit("hp.01.straight") or found is None:
        return None
    losses = found[1]
    tenths = np.array_split(losses, 10)
    middle, last = float(tenths[5].mean()), float(tenths[-1].mean())
    if not np.isfinite(losses).all() or middle - last < run_data.limit("hp.01.learnt") * abs(middle):
        return None
    return problem(
        Text(
            "学习率 {used} 过小，与其他问题无关：{steps} 步之后变化最大的权重仍几乎一直朝同一方向走，loss 到结束时仍在下降"
            "（{middle} 到 {last}），{what}。",
            "The learning rate of {used} is too small, whatever else is wrong: after {steps} steps the weight that changed most "
            "still goes nearly straight on, the loss still falls at the end ({middle} to {last}), and nothing was learnt "
            "({what}).",
            used=used,
            steps=len(losses),
            middle=middle,
            last=last,
            what=outcome.words(),
        ),
        Text("先用常用的学习率（Adam 约 0.001）再运行。", "Run again with what is usual, about 0.001 of Adam."),
        evidence,
        places,
    )


def went_astray(
    run_data: RunData, used: float, outcome: BesideConstant, change: Moved, evidence: list, places: list
) -> Optional[Finding]:
    """The problem where each step is hp.01.step of the size of the weights or more and nothing came of it: the end is no better
    than a constant prediction or, where that is not known, the start (hp.01.learnt), or the loss rose to hp.01.leapt of what it
    was before the first update and ended above that; or nearly all units of an activation were lost on the way (td.03)."""
    found = run_data.once(training_losses)
    if found is None or len(found[1]) < run_data.limit("hp.01.outcome_steps"):
        return None
    losses = found[1]
    if not np.isfinite(losses).all() or not losses[0] > 0 or change.step < run_data.limit("hp.01.step"):
        return None
    peak, end = (
        float(np.convolve(losses, np.ones(3) / 3, "valid").max()),
        float(losses[-max(5, len(losses) // 10) :].mean()),
    )
    worse = end >= losses[0] and peak >= run_data.limit("hp.01.leapt") * losses[0]
    still = outcome.constant is None and not run_data.loads and end >= (1 - run_data.limit("hp.01.learnt")) * losses[0]
    lost = None if worse or still or outcome.verdict in ("nothing", "hardly") else _lost_on_the_way(run_data)
    if not (worse or still or lost or outcome.verdict in ("nothing", "hardly")):
        return None
    if fading_signal(run_data, Moments(run_data)) is not None:
        return None  # it is the weights that are small (td.03)
    untrained = Text(
        "第一次更新前的 loss 为 {first}，训练中升到 {peak}，结束时为 {end}，比没有训练过的网络还差",
        "before the first update the loss was {first}, it rose to {peak} and ended at {end}, worse than untrained",
        first=float(losses[0]),
        peak=peak,
        end=end,
    )
    no_progress = Text(
        "训练没有进展，loss 从 {first} 到 {end}",
        "the training makes no progress, its loss goes from {first} to {end}",
        first=float(losses[0]),
        end=end,
    )
    return problem(
        Text(
            "学习率 {used} 过大：{what}；这种优化器的每一步与学习率相当，约为初始权重典型大小的 {step} 倍。",
            "The learning rate of {used} is too large: {what}; a step of this optimizer is as large as the rate, about {step} "
            "times the size that weights had at the start.",
            used=used,
            what=lost.sentence() if lost else untrained if worse else no_progress if still else outcome.words(),
            step=float(f"{change.step:.2g}"),
        ),
        Text("把学习率降到百分之一左右再运行。", "Lower it to about a hundredth and run again."),
        evidence,
        places,
    )


def _lost_on_the_way(run_data: RunData) -> Optional[Lost]:
    """The first activation that lost nearly all of its units after the start of the training (td.03); None where the units were
    not looked at, and of one that had lost them before the first step."""
    moments = Moments(run_data)
    if moments.end is None or not moments.from_start or moments.samples < run_data.limit("td.03.samples"):
        return None
    return next((one for one in moments.lost() if one.why in ("dead", "saturated") and one.since != "start"), None)


def hardly_moved(
    run_data: RunData, used: float, outcome: BesideConstant, change: Moved, evidence: list, places: list
) -> Optional[Finding]:
    """The problem where a loss made no progress, while no weight changed
    by hp.01.moved_little of its norm, and the most of them as straight on as hp.01.straight.

    Gradients of chance lead to and fro: a weight then comes about as far as the square root of the number of steps. A network
    that was loaded may be good already, unless the loss of a constant prediction says that it is not.
    """
    if outcome.verdict not in ("nothing", "hardly", "unknown") or (outcome.verdict == "unknown" and run_data.loads):
        return None
    losses = _still_losses(run_data)
    little = change.most < run_data.limit("hp.01.moved_little") and change.straight >= run_data.limit("hp.01.straight")
    if losses is None or not little:
        return None
    return problem(
        Text(
            "学习率 {used} 过小：{steps} 步训练后，权重的变化最多只有其范数的 {moved}，且几乎一直朝同一方向；loss 从 {first} 到 "
            "{last}，没有进展。",
            "The learning rate of {used} is too small: {steps} steps changed the weights by {moved} of their norm at most, "
            "nearly straight on, and the loss made no progress ({first} to {last}).",
            **_course(used, losses, change.most),
        ),
        Text("把学习率提高到 100 倍左右再运行。", "Raise it to about a hundred times and run again."),
        evidence,
        places,
    )
