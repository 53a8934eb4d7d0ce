"""How the loss of the run went, as hp.01 tells it apart."""

import math
from typing import Any, NamedTuple, Optional

import numpy as np

from msprec.checklists.common.training.constant_prediction import (
    BesideConstant,
    constant_loss,
    training_losses,
)
from msprec.checklists.common.training.training_segments import last_rows, last_training_start, rates_of
from msprec.checklists.common.weights.weight_updates import nothing_updated
from msprec.engine.run_data import RunData


class Course(NamedTuple):
    """How the training loss went: "diverged", "swings", "still", "falls", "turns" (the losses of optimizers that take turns)
    or "unknown", with its numbers."""

    kind: str
    first: Any = None  # numbers, but where the kind is "unknown"
    last: Any = None
    noise: Optional[float] = None
    steps: int = 0

    @property
    def worse(self) -> bool:
        """Whether the last tenth lies above the first by more than its noise."""
        return self.noise is not None and self.first is not None and self.last > self.first + 2 * self.noise


def course(run_data: RunData) -> Course:
    """Judges the losses of rank 0 (of its last training, where there are several) by the means of their first and last tenth.

    Diverged: a loss that is not finite, or the last tenth above twice the first. Still: the difference lies within twice
    the noise of the means. Swings: the spread about the course in the last third is larger than all that was gained.
    """
    steps = run_data.steps()
    rows = last_rows(run_data) if "loss" in steps else np.zeros(0)
    if rows is None:
        return Course("turns", steps=len(steps))
    rows = rows & steps.seen("loss") if rows.size else rows
    if rows.sum() < run_data.limit("hp.01.min_steps"):
        return Course("unknown", steps=len(steps))
    losses = np.asarray(steps["loss"], float)[rows]
    flagged = np.asarray(steps["overflow"], float)[rows] == 1 if "overflow" in steps else np.zeros(len(losses), bool)
    seen = losses[~np.isnan(losses) | ~flagged]
    finite = seen[np.isfinite(seen)]
    if len(finite) < len(seen) - 2 or len(finite) < 8:
        return Course("diverged", steps=len(losses))
    part = max(2, len(finite) // 10)
    first, last = float(finite[:part].mean()), float(finite[-part:].mean())
    if finite[0] < 0.5 * first:
        first = float(finite[0])  # it leapt at the first update: that is no place to come down from
    with np.errstate(all="ignore"):
        noise = float(np.median(np.abs(np.diff(finite)))) / 0.6745 / math.sqrt(2)
    gained, least = first - last, 2 * noise * math.sqrt(2 / part)
    tail = finite[-max(4, len(finite) // 3) :]
    numbers = (first, last, noise, len(losses))
    if last - first > max(least, abs(first)):
        return Course("diverged", *numbers)
    if gained <= max(least, 1e-3 * abs(first)):
        spread, peak = run_data.limit("hp.01.swing_spread"), run_data.limit("hp.01.swing_peak")
        swings = float(tail.std()) > spread * abs(first) and float(tail.max()) > peak * abs(first)
        return Course("swings" if swings else "still", *numbers)
    return Course("falls", *numbers)


class Growth(NamedTuple):
    """A training that diverged: the first loss, the last finite one, the step at which it was first not finite (or None)."""

    first: float
    last: float
    steps: int
    nonfinite: Optional[int]


def growth_of(run_data: RunData, seen: Course, outcome: BesideConstant) -> Optional[Growth]:
    """The growth of the loss, where that is beyond doubt.

    The loss ends hp.01.diverged times above its start and above the best constant prediction; where that constant is not
    known, or the steps are few, it grew a thousandfold to its end; or it is not finite to the end after it had grown
    hp.01.exploded times. A NaN out of a loss that had not grown has another cause (mp.01), and so has one of the first step.
    """
    numbers, losses = _skipped_to_the_end(run_data) or losses_of_course(run_data, seen)
    bad = np.flatnonzero(~np.isfinite(losses))
    sound = losses[: bad[0]] if bad.size else losses
    if len(sound) < 2 or not sound[0] > 0:
        return None
    few = len(sound) < run_data.limit("hp.01.min_steps")
    tail = sound[-1:] if bad.size or few else sound[-max(3, len(sound) // 10) :]
    first, last = float(sound[0]), float(np.median(tail))
    grown = Growth(first, last, len(losses), int(numbers[bad[0]]) if bad.size else None)
    constant = outcome.constant.value if outcome.constant is not None else 0.0
    if bad.size:
        after = losses[bad[0] :][np.isfinite(losses[bad[0] :])]  # here and there a step is finite again
        high = after.min(initial=math.inf) >= run_data.limit("hp.01.exploded") * first
        lasting = high and len(after) <= 0.1 * (len(losses) - bad[0])
        return grown if lasting and last >= run_data.limit("hp.01.exploded") * first else None
    if constant and not few:
        return grown if last >= run_data.limit("hp.01.diverged") * max(first, constant) else None
    high = last >= run_data.limit("hp.01.exploded") * max(first, constant)
    return grown if high and _unambiguous(run_data, sound) else None


def blown_up(run_data: RunData, seen: Course, outcome: BesideConstant) -> Optional[tuple]:
    """``(first loss, largest loss, the step of the leap)`` of a training that learnt nothing after its loss had been hp.01.grew
    times the first for three steps in a row, or once where it had learnt before: what was learnt since is a constant. None of
    any other."""
    numbers, losses = losses_of_course(run_data, seen)
    if outcome.verdict != "nothing" or len(losses) < 3 or not 0 < losses[0] < math.inf or nothing_updated(run_data):
        return None
    high = ~(losses < run_data.limit("hp.01.grew") * losses[0])
    three = np.flatnonzero(high[:-2] & high[1:-1] & high[2:])
    if three.size and np.isfinite(losses[high]).any():
        return float(losses[0]), float(losses[np.isfinite(losses)].max()), int(numbers[three[0]])
    leaps = np.flatnonzero(high & ~np.isnan(losses))
    constant = outcome.constant.value if outcome.constant is not None else None
    if not leaps.size or constant is None or not _learnt_by(run_data, losses[: leaps[0]], constant):
        return None
    return float(losses[0]), float(losses[leaps].max()), int(numbers[leaps[0]])


def spoilt_by_leap(run_data: RunData, seen: Course, outcome: BesideConstant) -> Optional[tuple]:
    """As `blown_up`, of a training that ended worse than it began, though not at a constant prediction: once it had learnt, its
    loss was hp.01.leapt_to times that of a constant prediction. The first of the three is the mean of the twenty before."""
    numbers, losses = losses_of_course(run_data, seen)
    constant = outcome.constant.value if outcome.constant is not None else 0.0
    if seen.kind != "diverged" or not constant > 0 or not np.isfinite(losses).all() or nothing_updated(run_data):
        return None
    leaps = np.flatnonzero(losses >= run_data.limit("hp.01.leapt_to") * max(constant, losses[:1].max(initial=0.0)))
    if not leaps.size or not _learnt_by(run_data, losses[: leaps[0]], constant):
        return None
    before = float(losses[leaps[0] - 20 : leaps[0]].mean())
    return before, float(losses.max()), int(numbers[leaps[0]])


def _learnt_by(run_data: RunData, losses: np.ndarray, constant: float) -> bool:
    """Whether the mean of some twenty of the losses lies so far below a constant prediction's that something was learnt."""
    if len(losses) < 20 or not np.isfinite(losses).all():
        return False
    lowest = np.convolve(losses, np.full(20, 1 / 20), mode="valid").min()
    return bool(lowest <= (1 - run_data.limit("hp.01.learnt")) * constant)


def _skipped_to_the_end(run_data: RunData) -> Optional[tuple]:
    """Step numbers and losses of the last training with those of skipped steps, where hardly any of its second half is finite: it
    was over then, and no loss scale is being looked for."""
    steps, rows = run_data.steps(), last_rows(run_data)
    if rows is None or "loss" not in steps or not rows.size:
        return None
    rows = rows & steps.seen("loss")
    losses = np.asarray(steps["loss"], float)[rows]
    over = len(losses) >= run_data.limit("hp.01.min_steps") and np.isfinite(losses[len(losses) // 2 :]).mean() <= 0.1
    return (np.asarray(steps["step"], float)[rows], losses) if over else None


def losses_of_course(run_data: RunData, seen: Course) -> tuple:
    """Step numbers and losses of the last training, without the steps that were skipped for overflow; empty without."""
    found = run_data.once(training_losses) if seen.kind != "turns" else None
    return found if found is not None else (np.zeros(0), np.zeros(0))


def _unambiguous(run_data: RunData, losses: np.ndarray) -> bool:
    """Whether a loss grew to the end and out of proportion: no reward that rises, and no class that comes last."""
    ratio = float(losses[-1] / losses[0])
    rising = bool((np.diff(losses[-4:]) > 0).all()) and len(losses) >= 4
    high = float(losses[-1]) >= run_data.limit("hp.01.stays_high") * float(losses.max())
    return ratio >= run_data.limit("hp.01.grew") and high and (rising or len(losses) >= 30)


def lost_again(run_data: RunData, seen: Course, outcome: BesideConstant) -> Optional[tuple]:
    """``(step, mean loss)`` of the twentieth of the steps in which the loss was lowest, of a training that came
    hp.01.had_learnt of a constant prediction's loss below it and learnt nothing in the end; None of any other."""
    steps, losses = losses_of_course(run_data, seen)
    width = len(losses) // 20
    if outcome.verdict != "nothing" or outcome.constant is None or width < 5 or not seen.worse:
        return None
    means = np.convolve(losses, np.full(width, 1 / width), mode="valid")
    at = int(np.nanargmin(means)) if np.isfinite(means).any() else 0
    far = means[at] <= (1 - run_data.limit("hp.01.had_learnt")) * outcome.constant.value
    return (int(steps[at + width - 1]), float(means[at])) if far else None


def good_from_the_start(run_data: RunData, seen: Course) -> Optional[float]:
    """The loss of the best constant prediction, where the training began with a network that was far below it already, as a
    loaded one is, and left it so: how far it is to move is then a matter of purpose. None of any other training."""
    constant = run_data.once(constant_loss)
    trained = bool(run_data.loads) or last_training_start(run_data) > 0
    if seen.kind not in ("still", "falls") or constant is None or not trained:
        return None
    found = losses_of_course(run_data, seen)[1][:3].mean()
    good = max(found, seen.first, seen.last) <= run_data.limit("hp.01.open") * constant.value
    return constant.value if good else None


def fell_well(run_data: RunData, seen: Course) -> bool:
    """Whether the run brought the loss down by so much that its rate cannot be all too small: a test of a few steps, a rate
    a step, sees the loss fall late where a network is slow to start, as a recurrent one may be."""
    if seen.kind != "falls" or still_rising(run_data):
        return False
    return seen.first > 0 and seen.first - seen.last >= run_data.limit("hp.01.fell_well") * seen.first


def converged(run_data: RunData, seen: Course) -> bool:
    """Whether nearly all of the loss is gone: a rate that brought that about suits, whatever a range test would say."""
    if seen.kind != "falls" or still_rising(run_data):
        return False
    return seen.first > 0 and 0 <= seen.last <= run_data.limit("hp.01.converged") * seen.first


def optimizers_of(run_data: RunData) -> list:
    """Those that were used in the run, or in the last of its trainings."""
    begun = last_training_start(run_data)
    used = [optimizer for optimizer in run_data.optimizers if optimizer.used is not False]
    return [one for one in used if not begun or len(one.steps) != 2 or one.steps[1] > begun]


def of_another_training(run_data: RunData) -> bool:
    """Whether the range test was made with an optimizer of an earlier training, of which nothing follows for the last."""
    tested, classes = run_data.range_test.optimizer, {one.class_ for one in optimizers_of(run_data)}
    return bool(tested and last_training_start(run_data) and None not in classes) and tested not in classes


def still_rising(run_data: RunData) -> bool:
    """Whether the rate only grew, to the last step: a warm-up as long as the training, or longer."""
    rates = rates_of(run_data)
    if len(rates) < 10 or not np.isfinite(rates).all():
        return False
    return bool((np.diff(rates) >= 0).all()) and float(rates[-1]) > run_data.limit("hp.01.warming") * float(
        rates[len(rates) // 2]
    )
