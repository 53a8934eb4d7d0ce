"""A learning rate that a schedule brings down to next to nothing long before the end (hp.01)."""

import ast
import re
from typing import NamedTuple, Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.array_origin import argument_of
from msprec.checklists.common.script.setting_origin import LENGTH, MILESTONES, SCHEDULE, argument_origin
from msprec.checklists.common.training.constant_prediction import learning_outcome, training_losses
from msprec.checklists.common.training.training_segments import rates_of
from msprec.checklists.hp.learning_rate.trials import Better
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name

#: A scheduler of mindspore.experimental.optim that is stepped, or a rate that is written to an optimizer.
STEPPED = (
    r"(?i)\b\w*(sched|decay)\w*\.step\(|\.set_lr\(|\.(lr|learning_rate)\.(set_data|assign_value)\(|"
    r"\bassign\([^#]*(lr|learning_rate)\b"
)


#: Arguments of a schedule that are counted in steps or in epochs.
_UNITS = r"\b(steps?_per_epoch|decay_steps?|decay_epochs?|step_size|T_max)\s*=(?!=)"


#: Where a schedule is made.
_SCHEDULES = r"(?i)=\s*[\w.]*(schedul|warm_?up|cosine|decay|_lr)\w*\("
#: Schedules of mindspore.nn, which are asked for a rate at each step; the third argument of each is ``decay_steps``.
_BY_STEPS = ("ExponentialDecayLR", "NaturalExpDecayLR", "InverseDecayLR", "CosineDecayLR", "PolynomialDecayLR")
_EPOCHS = re.compile(r"(?i)^([\w.]+\.)?((n|num|max|total)_?)?epochs?$")
#: Schedules that go down by stages at steps that they are given.
_STAGES = re.compile(r"piecewise|multi_?step", re.IGNORECASE)
#: Smooth schedules of mindspore.nn that give all steps of an epoch one rate.
_BY_EPOCHS = r"\b(cosine|polynomial)_decay_lr\("
#: A schedule of fewer different rates goes down by stages.
_SMOOTH = 8
#: Fewer epochs, or fewer steps in each, may be a number of steps by chance.
_FEW = 5


class Collapse(NamedTuple):
    """``step``: from which on the rate stays at ``share`` times its ``peak`` or below; of ``steps`` in all; ``last``: the rate at
    the end."""

    step: int
    steps: int
    peak: float
    last: float
    share: float


def _known_rates(run_data: RunData) -> Optional[np.ndarray]:
    """The rate of each step; None of fewer than hp.01.min_steps, and where they are not finite or all 0."""
    rates = rates_of(run_data)
    enough = len(rates) >= run_data.limit("hp.01.min_steps")
    return rates if enough and np.isfinite(rates).all() and rates.max() > 0 else None


def collapse_of(run_data: RunData) -> Optional[Collapse]:
    """None where the rate keeps above hp.01.collapsed times its peak for hp.01.collapsed_at of the steps, and above
    hp.01.collapsed_early for hp.01.collapsed_early_at of them; of a training that came less than hp.01.half_way, also above
    hp.01.collapsed_half for hp.01.collapsed_half_at."""
    rates = _known_rates(run_data)
    if rates is None:
        return None
    gain = learning_outcome(run_data).gain
    short = gain is not None and gain < run_data.limit("hp.01.half_way")
    names = ("hp.01.collapsed", "hp.01.collapsed_early", *(["hp.01.collapsed_half"] if short else []))
    for name in names:
        share = run_data.limit(name)
        # a floor of this share of the peak is within it, also where the peak came between two updates and was not seen
        at = int(np.flatnonzero(rates > 1.05 * share * rates.max())[-1]) + 1
        if at < run_data.limit(f"{name}_at") * len(rates):
            return Collapse(at + 1, len(rates), float(rates.max()), float(rates[-1]), share)
    return None


def over_early(run_data: RunData) -> Optional[Collapse]:
    """A rate that a smooth schedule brings to hp.01.floor of its peak or less before hp.01.floor_at of the steps, where it stays
    to the end: the schedule is made for a part of the training. None where hp.01.collapsed_solved of a constant prediction's loss
    is gone, or is not known to be left."""
    rates, gain = _known_rates(run_data), learning_outcome(run_data).gain
    if rates is None or gain is None or gain >= run_data.limit("hp.01.collapsed_solved"):
        return None
    last, peak = float(rates[-1]), float(rates.max())
    at = int(np.flatnonzero(rates > 1.05 * last)[-1]) + 1 if peak > 1.05 * last else len(rates)
    smooth = len(np.unique(rates[:at])) >= _SMOOTH or bool(run_data.find_lines(_BY_EPOCHS, 1))
    early = at < run_data.limit("hp.01.floor_at") * len(rates) and last <= run_data.limit("hp.01.floor") * peak
    return Collapse(at + 1, len(rates), peak, last, last / peak) if early and smooth and last > 0 else None


def counted_in_epochs(run_data: RunData) -> Optional[Collapse]:
    """A rate that changes for the last time after as many steps as there are epochs, at hp.01.epochs_share of its peak or below:
    its schedule is over when the training has begun. None where hp.01.collapsed_solved of a constant prediction's loss is gone,
    and of few epochs or few steps in each, where the two numbers may agree by chance."""
    steps = run_data.steps()
    rates, epochs = steps.observed("lr"), steps.observed("epoch")
    passes = int(epochs.max()) if len(epochs) and np.isfinite(epochs).all() else 0
    if passes < _FEW or len(rates) < _FEW * passes or not np.isfinite(rates).all() or not rates.max() > 0:
        return None
    changes = np.flatnonzero(np.diff(rates) != 0) + 1
    share = float(rates[-1] / rates.max())
    if not len(changes) or abs(int(changes[-1]) - passes) > 1 or share > run_data.limit("hp.01.epochs_share"):
        return None
    found = run_data.once(training_losses)
    if found is None or _is_solved(run_data, found[1]):
        return None
    return Collapse(int(changes[-1]) + 1, len(rates), float(rates.max()), float(rates[-1]), share)


def steps_named_epochs(run_data: RunData) -> Optional[Fact]:
    """Where a schedule of mindspore.nn is given a number of epochs as its ``decay_steps``, which leaves hp.01.collapsed_half of
    the largest rate or less before hp.01.collapsed_half_at of the steps; else None."""
    rates = _known_rates(run_data)
    if rates is None:
        return None
    at_step = int(run_data.limit("hp.01.collapsed_half_at") * len(rates))
    if rates[at_step:].max() > run_data.limit("hp.01.collapsed_half") * rates.max():
        return None
    for file, call in run_data.source.calls_anywhere(_BY_STEPS):
        given = argument_of(call, "decay_steps", 2)
        if given is not None and _EPOCHS.search(ast.unparse(given)):
            return place(file, given.lineno)
    return None


def decays_over_epochs(run_data: RunData, where: Fact, evidence: list, places: list) -> Finding:
    """The problem of `steps_named_epochs`."""
    rates = rates_of(run_data)
    return problem(
        Text(
            "{where} 的 decay_steps 给的是 epoch 数，而调度按步计：学习率在 {n} 步（共 {steps} 步）后已从 {peak} 降到 {late}，"
            "此后几乎不再训练。",
            "decay_steps at {where} is a number of epochs, and the schedule counts steps: after {n} of {steps} of them the rate "
            "has come from {peak} to {late}, and hardly anything is trained from then on.",
            where=at(where),
            n=len(rates) // 2,
            steps=len(rates),
            peak=float(rates.max()),
            late=float(rates[len(rates) // 2]),
        ),
        Text("给出步数：每个 epoch 的步数 × epoch 数。", "Give it a number of steps: steps of an epoch times epochs."),
        evidence,
        [where, *places],
    )


def stood_still_since(run_data: RunData, ended: Collapse) -> bool:
    """Whether the rate was next to nothing after the first tenth (hp.01.collapsed_early_at; hp.01.collapsed_wasted of one that
    came to hp.01.collapsed of its peak; hp.01.collapsed_at of one that fell to 0), the loss lost less than hp.01.collapsed_still
    from then on, and hp.01.collapsed_solved of a constant prediction's is not gone (of the loss at the start, where the
    constant's is not known)."""
    found = run_data.once(training_losses)
    gone = ended.share <= run_data.limit("hp.01.collapsed")
    early = run_data.limit("hp.01.collapsed_wasted" if gone else "hp.01.collapsed_early_at")
    until = run_data.limit("hp.01.collapsed_at") if ended.last == 0 else early
    if found is None or ended.step > until * ended.steps:
        return False
    steps, losses = found
    if _is_solved(run_data, losses):
        return False
    since = losses[steps >= ended.step]
    window = max(5, len(losses) // 20)
    if len(since) < 2 * window or not np.isfinite(since).all():
        return False
    return bool(since[-window:].mean() > (1 - run_data.limit("hp.01.collapsed_still")) * since[:window].mean())


def _is_solved(run_data: RunData, losses: np.ndarray) -> bool:
    """Whether hp.01.collapsed_solved of a constant prediction's loss is gone; of the first level, where that is not known."""
    gain = learning_outcome(run_data).gain
    return (_fallen(losses) if gain is None else gain) >= run_data.limit("hp.01.collapsed_solved")


def _fallen(losses: np.ndarray) -> float:
    """The share of its first level that a loss has lost; 1 of one that is not above 0 throughout, whose level says nothing."""
    window = max(5, len(losses) // 50)
    start, end = losses[:window].mean(), losses[-window:].mean()
    return float(1 - end / start) if (losses > 0).all() else 1.0


def over_after_epochs(run_data: RunData, ended: Collapse, evidence: list, places: list) -> Finding:
    """The problem of a schedule that was made for epochs, and of which each step takes a value."""
    return problem(
        Text(
            "学习率调度以 epoch 计，而优化器每一步取一个值：从 {peak} 到 {last}，第 {step} 步（共 {steps} 步）时已经走完，"
            "步数正好是 epoch 数，此后一直是 {last}。",
            "The schedule of the learning rate is counted in epochs, and each step takes a value of it: it goes from {peak} to "
            "{last} by step {step} of {steps}, after as many steps as there are epochs, and stays there.",
            peak=ended.peak,
            last=ended.last,
            step=ended.step,
            steps=ended.steps,
        ),
        Text(
            "按总步数（每个 epoch 的步数 × epoch 数）设置调度的长度，预热也按步数计。",
            "Give the schedule the number of all steps (steps of an epoch times epochs), its warm-up as well.",
        ),
        evidence,
        [*run_data.find_lines(_UNITS, 3), *run_data.find_lines(_SCHEDULES, 3), *places],
    )


def collapsed(run_data: RunData, ended: Collapse, better: Optional[Better], evidence: list, places: list) -> Finding:
    """The problem, at the lines that step the schedule."""
    beside = (
        Text(
            "；从同样的初始权重出发，不降低的学习率 {rate} 用 {steps} 步即可把 loss 降到 {reached}",
            "; from the same first weights a rate of {rate} that is kept brings the loss to {reached} in {steps} steps",
            rate=f"{better.rate:.2g}",
            steps=better.steps,
            reached=better.reached,
        )
        if better is not None
        else Text("", "")
    )
    return problem(
        Text(
            "学习率过早降到几乎为 0：从 {peak} 起，第 {step} 步（共 {steps} 步）时已降到它的 {share} 或以下，"
            "结尾为 {last}{beside}。",
            "The learning rate falls to next to nothing too early: from {peak} to {share} of it or less by step {step} of "
            "{steps}, and to {last} at the end{beside}.",
            share=f"1/{1 / ended.share:.0f}",
            peak=ended.peak,
            step=ended.step,
            steps=ended.steps,
            last=ended.last,
            beside=beside,
        ),
        Text(
            "检查学习率调度的单位：按 epoch 计的调度（如 ExponentialLR、StepLR）每个 epoch 只调用一次 step()；"
            "按步计的调度按总步数设置。",
            "Check the unit of the schedule: one meant for epochs (ExponentialLR, StepLR) takes one step() an epoch; "
            "one meant for "
            "steps takes the number of all steps.",
        ),
        evidence,
        [*run_data.find_lines(STEPPED, 3), *run_data.find_lines(_UNITS, 3), *places, *_lengths(run_data, places)],
    )


def _lengths(run_data: RunData, places: list) -> list:
    """Where the length of a schedule is written that is made at one of the places."""
    calls = [
        (where, called_name(call))
        for where in places
        if where and where.file
        for call in run_data.source.nodes_at(where.file, where.line, ast.Call)
        if SCHEDULE.search(called_name(call))
    ]
    return [
        origin
        for where, name in calls
        for wanted in (LENGTH, *([MILESTONES] if _STAGES.search(name) else []))
        for origin in argument_origin(run_data, where, wanted, name)
    ]
