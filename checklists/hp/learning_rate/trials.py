"""What the first steps at other rates tell: the same first weights and the same batches, a power of ten apart (hp.01)."""

import math
from typing import NamedTuple, Optional

import numpy as np

from msprec.checklists.common.training.constant_prediction import BesideConstant
from msprec.checklists.common.training.simple_predictors import behind_simple_predictor
from msprec.checklists.common.training.training_curves import whole_training
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.range_test.lr_curve import APART, Curve

#: Batches that two trials have in common in their second halves, at least, and the share of them that has to be lower.
_FEW_PAIRS, _MOST_PAIRS = 10, 0.75
#: Times the steps of a trial that a run has, of which the end alone is outdone.
_SOONER = 5


class Better(NamedTuple):
    """A rate at which ``steps`` steps from the ``first`` loss came to ``reached``, where the run's own rate came to ``own`` in as
    many and the run to ``end`` in all; the last two may be infinite."""

    rate: float
    steps: int
    first: float
    reached: float
    own: float
    end: float


def learns_at_own_rate(run_data: RunData) -> bool:
    """Whether the run's own rate, from the first weights on, brings three quarters of the batches of a trial's second half below
    what the lowest rate that was tried, a tenth of it or less, brings the same batches to."""
    own, *others = run_data.range_test.trials or [None]
    lower = [one for one in others if own.rate and one.rate and one.rate <= own.rate / 10]
    if not lower:
        return False
    a, b = (np.asarray(one.losses, float) for one in (own, min(lower, key=lambda one: one.rate)))
    count = min(len(a), len(b))
    return count >= 2 * _FEW_PAIRS and float(np.mean(a[count // 2 : count] < b[count // 2 : count])) >= _MOST_PAIRS


def better_rate(
    run_data: RunData, curve: Optional[Curve], losses: np.ndarray, outcome: BesideConstant
) -> Optional[Better]:
    """The rate of the trials that outdoes the run; None where there is none.

    In a third of the run's steps at the most it comes below both the end of the run and what the run's own rate reaches in as
    many steps, by hp.01.outdone of what it gained; or, at a higher rate, in a fifth of the steps, below the end alone of a run
    that stays far behind nearest neighbours; or, where the run learnt nothing, to half of both; or, at a lower rate than
    the run's, to a part of both (hp.01.several); or, where the run ended no lower than it began, by more than chance. It has to
    come below the best constant prediction, where that is known: of a rate at which nothing is learnt either nothing follows, but
    that it comes to that level at once where the whole run stays far above it. Of a run that fell back behind its first steps,
    by hp.01.outdone of what they gained, a lower rate has to outdo the end alone.
    """
    trials = run_data.range_test.trials
    if curve is None or len(trials) < 2 or len(losses) < 2:
        return None
    own, *others = trials
    others = [
        trial
        for trial in others
        if trial.rate and own.rate and max(trial.rate / own.rate, own.rate / trial.rate) >= APART
    ]
    if not others:
        return None
    first, count = curve.reached()[0], max(len(trial.losses) for trial in trials)
    best = min(others, key=lambda trial: _reached(trial, count)[0])
    reached, error = _reached(best, count)
    sound = losses[np.isfinite(losses)]
    level = (1 - run_data.limit("hp.01.constant")) * outcome.constant_value
    if not math.isfinite(reached) or min(float(sound.min(initial=0.0)), reached) < 0 or not first > 0:
        return None
    end = float(losses[-max(1, len(losses) // 10) :].mean()) if np.isfinite(losses[-1]) else math.inf
    of_own, uncertain = _reached(own, count)
    found = Better(best.rate, count, first, reached, of_own, end)
    if best.rate > own.rate and _sooner(run_data, outcome, losses, found, error):
        return found
    if reached >= level:
        return None
    if not np.isfinite(losses[-1]) and len(sound) > 4 and sound[-1] < (1 - run_data.limit("hp.01.learnt")) * sound[0]:
        return None  # it learnt before it became NaN, which has another cause (mp.01)
    if reached > (1 - run_data.limit("hp.01.learnt")) * first:
        return found if _beyond_chance(run_data, curve, losses, best, own) else None
    fell_back = best.rate < own.rate and end >= of_own + run_data.limit("hp.01.outdone") * (first - of_own) + uncertain
    fell_back = fell_back and of_own < first and _lowest(losses, count) <= (of_own + end) / 2
    worse = found.end if fell_back else min(found.own, found.end)
    far = reached + run_data.limit("hp.01.outdone") * (first - reached) + error
    nothing = outcome.verdict in ("nothing", "hardly", "diverged") and worse >= 2 * reached + error
    lower = best.rate < own.rate and worse >= run_data.limit("hp.01.several") * (reached + error)
    slow = best.rate > own.rate and found.own >= far and _outruns(run_data, outcome, losses, found, error)
    return found if worse >= far or nothing or lower or slow else None


def _lowest(losses: np.ndarray, count: int) -> float:
    """The lowest mean of as many losses in a row as a trial's last third has."""
    window = max(3, count // 3)
    return float(np.convolve(losses, np.ones(window) / window, "valid").min()) if len(losses) >= window else math.inf


def _outruns(run_data: RunData, outcome: BesideConstant, losses: np.ndarray, found: Better, error: float) -> bool:
    """Whether a fifth of the run's steps or fewer bring more than the whole of a run that stays far behind nearest neighbours."""
    sooner = len(losses) >= _SOONER * found.steps and found.reached + error < found.end
    return sooner and behind_simple_predictor(run_data, outcome) is not None


def _sooner(run_data: RunData, outcome: BesideConstant, losses: np.ndarray, found: Better, error: float) -> bool:
    """Whether a rate comes hp.01.nearer times nearer to the constant prediction than the run, in a third of its steps; of a whole
    training, as td.01 has it.

    Args:
        found: What the rate reached.
        error: Of the loss that it reached.
    """
    whole = len(losses) >= 3 * found.steps and whole_training(run_data, len(losses))
    if outcome.verdict != "nothing" or not whole or not np.isfinite(losses).all():
        return False
    level = outcome.constant_value
    left = max(found.reached - level, run_data.limit("hp.01.constant") * level)
    nearer = found.end - level > run_data.limit("hp.01.nearer") * left
    return nearer and found.first > found.end and found.reached + error < min(found.end, found.own)


def better_when_standardised(run_data: RunData, outcome: BesideConstant) -> Optional[Better]:
    """As `better_rate`, of inputs that are far from mean 0 and deviation 1, once they are brought there: the run's own rate does
    not come below what a constant prediction reaches, and another comes below hp.01.learns of it and of what the own reached."""
    own, *others = run_data.range_test.standardised or [None]
    level = outcome.constant_value
    if not others or outcome.verdict not in ("nothing", "diverged") or level <= 0:
        return None
    count = max(len(trial.losses) for trial in (own, *others))
    best = min(others, key=lambda trial: _reached(trial, count)[0])
    (reached, error), (of_own, _) = _reached(best, count), _reached(own, count)
    if of_own < level or not reached + error <= run_data.limit("hp.01.learns") * min(level, of_own):
        return None
    return Better(best.rate, count, float(own.losses[0]), reached, of_own, math.inf)


def suits_when_standardised(run_data: RunData, outcome: BesideConstant) -> bool:
    """Whether the run's own rate comes below hp.01.learns of what a constant prediction reaches, and of where it began, with
    inputs that are brought to mean 0 and deviation 1, and not with those that the run has."""
    tests = run_data.range_test
    own, plain = (next(iter(trials or []), None) for trials in (tests.standardised, tests.trials))
    if own is None or plain is None or len(own.losses) < 3 or outcome.constant_value <= 0:
        return False
    # of an autoencoder the targets are brought there too, below what was a constant prediction's loss from the start
    level = run_data.limit("hp.01.learns") * min(outcome.constant_value, float(own.losses[0]))
    return sum(_reached(own, len(own.losses))) <= level < _reached(plain, len(own.losses))[0]


def _reached(trial: Fact, count: int) -> tuple:
    """The mean loss of the last third and two standard errors of it; infinite where it did not come to its end."""
    losses = np.asarray(trial.losses, float)
    if len(losses) < count or not np.isfinite(losses).all():
        return math.inf, 0.0
    tail = last_third(losses, count)
    return float(tail.mean()), 2 * float(tail.std()) / math.sqrt(len(tail))


def _beyond_chance(run_data: RunData, curve: Curve, losses: np.ndarray, best: Fact, own: Fact) -> bool:
    """Whether a rate brings the loss down a little, but beyond doubt, where the run did not.

    The run's last tenth is not below the loss of the untrained weights by hp.01.beyond_chance standard errors; that of the other
    rate is below the run's end by so many, and below that of the run's rate on the very same batches by so many and by
    hp.01.least_gain of the first loss.
    """
    enough = min(len(losses), len(best.losses), len(curve.untrained)) >= 3
    if not enough or not np.isfinite(losses[-1]) or len(own.losses) != len(best.losses):
        return False
    many, count = run_data.limit("hp.01.beyond_chance"), len(best.losses)
    of_own, reached = (last_third(np.asarray(one.losses, float), count) for one in (own, best))
    end, ahead = losses[-max(5, len(losses) // 10) :], of_own - reached
    if not np.isfinite(ahead).all() or not np.isfinite(end).all():
        return False
    still = end.mean() >= curve.untrained.mean() - many * math.hypot(
        standard_error(end), standard_error(curve.untrained)
    )
    below = end.mean() - reached.mean() > many * math.hypot(standard_error(end), standard_error(reached))
    least = max(many * standard_error(ahead), run_data.limit("hp.01.least_gain") * abs(float(curve.untrained.mean())))
    return bool(still and below and ahead.mean() > least)


def standard_error(values: np.ndarray) -> float:
    """The standard error of their mean."""
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def last_third(losses: np.ndarray, count: int) -> np.ndarray:
    """The losses at the end of a trial of ``count`` steps, three at least."""
    return losses[-max(3, count // 3) :]
