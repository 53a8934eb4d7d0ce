"""The rate that a run had, its range test, and how far the two came (hp.01)."""

import math
from typing import Optional

import numpy as np

from msprec.checklists.common.training.constant_prediction import BesideConstant
from msprec.checklists.common.training.training_curves import epochs_of
from msprec.checklists.common.training.training_segments import rates_of
from msprec.checklists.hp.learning_rate.loss_course import (
    Course,
    losses_of_course,
    of_another_training,
    optimizers_of,
    still_rising,
)
from msprec.engine.run_data import RunData
from msprec.range_test.lr_curve import Curve


def used_rate(run_data: RunData) -> Optional[float]:
    """The largest rate of the run (of its last training, where there are several): of the recorded steps and of the groups of
    parameters, or as the optimizer was given it."""
    used = optimizers_of(run_data)
    # the steps hold the rate of the first group
    groups = [rate for optimizer in used for group in optimizer.learning_rate.groups or [] for rate in group]
    steps = run_data.steps()
    if "lr" in steps:
        rates = rates_of(run_data)
        rates = rates[np.isfinite(rates)]
        if rates.size:
            return max([float(rates.max()), *(rate for rate in groups if rate is not None and math.isfinite(rate))])
    known = [o.learning_rate for o in used if o.learning_rate]
    values = [rate for one in known[:1] for rate in (one.first, one.last, one.value) if rate is not None]
    return max(values, default=None)


def curve_of(run_data: RunData) -> Optional[Curve]:
    """The range test of the last training; None where there is none that can be read."""
    facts = run_data.range_test
    if of_another_training(run_data):
        return None
    rates, losses = facts.rates, [math.nan if loss is None else float(loss) for loss in facts.losses]
    if len(rates) < 2 or len(rates) != len(losses) or facts.low is None or facts.high is None:
        return None
    if not all(rate is not None and rate > 0 for rate in rates):
        return None
    with np.errstate(all="ignore"):  # losses may be infinite
        return Curve(np.asarray(rates, float), losses, facts.low, facts.high)


def learns_at(curve: Optional[Curve], outcome: BesideConstant, share: float) -> bool:
    """Whether the range test came well below the constant prediction at some rate."""
    if curve is None or curve.unavailable_reason is not None:
        return False
    return curve.reached()[1] < share * outcome.constant_value


def far_behind_test(run_data: RunData, seen: Course, curve: Curve) -> bool:
    """Whether a run of several times the test's steps gained less than half of what the test did: its end is held against the
    test's minimum."""
    if curve.unavailable_reason is not None or seen.steps < run_data.limit("hp.01.outdone_steps") * len(curve.losses):
        return False
    first, best = curve.reached()
    return seen.last - best > run_data.limit("hp.01.left_behind") * (first - best) > 0


def outrun_by_test(run_data: RunData, seen: Course, curve: Curve, used: float) -> bool:
    """Whether the range test came down twice as far as the run did, at rates of ten times the run's and more, on batches that it
    had seen no more often than the run.

    The run went over the same batches first: where they are easier than the rest, as those of one class are, its own loss on
    them is as low.
    """
    batches = run_data.range_test.batches or 0
    best = curve.lowest_at(batches * max(1, epochs_of(run_data) or 0))
    if best is None or seen.steps < run_data.limit("hp.01.outdone_steps") * len(curve.losses) or still_rising(run_data):
        return False
    own = losses_of_course(run_data, seen)[1][: min(batches, best + 1)]
    first, lowest = curve.reached()[0], float(curve.smoothed[best])
    level = lowest + run_data.limit("hp.01.left_behind") * (first - lowest)
    near = own[-max(3, len(own) // 5) :].mean() if len(own) else math.nan
    return bool(
        curve.rates[best] >= run_data.limit("hp.01.late") * used and lowest > 0 and min(seen.last, near) > level
    )


def outdone_by_test(run_data: RunData, seen: Course, curve: Curve) -> bool:
    """Whether the range test reached far less at lower rates than the run has at its end, with several times the steps that the
    test took from where its loss began to fall, and no fewer passes over the same batches.

    A rate that is large by right (after a warm-up, with LARS) brings the loss further than the test, not less far.
    """
    batches = run_data.range_test.batches or len(curve.losses)
    lowest = curve.lowest_at(batches * max(1, epochs_of(run_data) or 0))
    if seen.kind != "falls" or lowest is None:
        return False
    fell = lowest + 1 - int(np.searchsorted(curve.rates, curve.lower or 0.0))
    if fell <= 0 or seen.steps < run_data.limit("hp.01.outdone_steps") * fell:
        return False
    first, best = curve.reached()[0], float(curve.smoothed[lowest])
    gained = first - best
    error = 2 * (seen.noise or 0.0) / math.sqrt(max(2, seen.steps // 10))  # of the mean of the last tenth
    return gained > 0 and seen.last > best + run_data.limit("hp.01.outdone") * gained + error
