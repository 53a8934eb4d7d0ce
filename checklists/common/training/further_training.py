"""What training on from the last weights brought, on batches of the same pass that were kept back (hp.01, hp.02)."""

import math
from typing import NamedTuple, Optional

import numpy as np

from msprec.checklists.common.training.constant_prediction import constant_loss, learning_outcome, training_losses
from msprec.checklists.common.training.reinforcement import learns_by_rewards
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: The run ended at a loss within this factor of what the weights that the script left give: they are those of its end.
_SAME = 2.0
#: Where fewer than three batches were kept back, the loss has to fall to this share for the fall to be beyond chance.
_FEW, _FALLEN = 3, 0.7


class Trial(NamedTuple):
    """``rate``, number of ``steps``, mean loss ``after`` them on the batches kept back (infinite: it diverged), ``gain`` beside
    the weights before, 0 where it is within chance, and mean loss at the ``end`` of the batches trained on."""

    rate: float
    steps: int
    after: float
    gain: float
    end: float


class Further(NamedTuple):
    """The run trained on.

    Attributes:
        steps: Of the run.
        before: Mean loss of the batches kept back, with the weights of the end.
        level: What there was to lose: the loss at the start, or of the best constant prediction where that is less.
        gained: What the whole run brought the loss down by, beyond the noise of its first losses.
        apart: Whether the batches kept back are others than those trained on.
        constant: Whether the loss of the best constant prediction is known.
        rate: The run's own.
        trials: At that rate, or at higher ones where the run gained next to nothing.
    """

    steps: int
    before: float
    level: float
    gained: float
    apart: bool
    constant: bool
    rate: float
    trials: list

    @property
    def own(self) -> Optional[Trial]:
        """The trial at the run's own rate."""
        return next((trial for trial in self.trials if trial.rate == self.rate), None)


def further_training(run_data: RunData) -> Optional[Further]:
    """None where it was not done, the weights that the script left are not those of the training's end, or the loss tells
    nothing of what is learnt, as in reinforcement learning."""
    facts, found = run_data.probes.further, run_data.once(training_losses)
    if not facts.trials or not facts.before or not facts.rate or found is None or len(found[1]) < 2:
        return None
    if any(own.final and own.weighed for own in run_data.probes.own_losses) or learns_by_rewards(run_data):
        return None
    losses = found[1]
    start, end = losses[:3], losses[-max(1, len(losses) // 10) :]
    before = np.asarray(facts.before, float)
    if not (np.isfinite(before).all() and np.isfinite(end).all() and np.isfinite(start).all() and start.mean() > 0):
        return None
    if not end.mean() / _SAME <= before.mean() <= _SAME * end.mean():
        return None
    constant = learning_outcome(run_data).constant or run_data.once(constant_loss)
    known = constant is not None and constant.value > 0
    level = min(float(start.mean()), constant.value) if constant is not None and known else float(start.mean())
    many = run_data.limit("hp.01.beyond_chance")
    trials = [_trial(trial, before, many) for trial in facts.trials if trial.rate]
    tenth, noise = losses[: max(1, len(losses) // 10)], losses[-max(3, len(losses) // 10) :].std() / math.sqrt(3)
    gained = float(max(tenth.mean(), start.mean() - 2 * noise) - end.mean())
    apart = facts.apart is not False
    return (
        Further(len(losses), float(before.mean()), level, gained, apart, known, facts.rate, trials) if trials else None
    )


def _trial(trial: Fact, before: np.ndarray, many: float) -> Trial:
    after = np.asarray(trial.after, float)
    steps, last = len(trial.losses), [math.inf if loss is None else loss for loss in trial.losses[-10:]]
    end = float(np.mean(np.asarray(last, float))) if last else math.inf
    if len(after) != len(before) or not np.isfinite(after).all():
        return Trial(trial.rate, steps, math.inf, 0.0, end)
    fall = before - after
    if len(fall) < _FEW:
        sure = bool((after <= _FALLEN * before).all())
    else:
        sure = bool(fall.mean() > many * fall.std(ddof=1) / math.sqrt(len(fall)))
    return Trial(trial.rate, steps, float(after.mean()), float(fall.mean()) if sure else 0.0, end)
