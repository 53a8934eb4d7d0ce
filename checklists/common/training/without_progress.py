"""Whether a training came to nothing, so that what one of its settings did to it cannot be seen beside what else is wrong."""

import numpy as np

from msprec.checklists.common.findings import train_sets
from msprec.checklists.common.training.constant_prediction import (
    beneath_floor,
    constant_loss,
    learning_outcome,
    training_losses,
)
from msprec.checklists.common.training.reinforcement import has_adversary, learns_by_rewards
from msprec.engine.run_data import RunData

#: Losses whose targets have to lie between 0 and 1.
_PROBABILITIES = ("bce", "bce_with_logits")
#: Kinds of labels that a network is to give back.
_LABELS = ("class", "one_hot", "regression")
#: Losses of a training, at least, of which the last third says where it ended.
_FEWEST = 9


def came_to_nothing(run_data: RunData) -> bool:
    """Whether the training ended near a constant prediction or diverged; where that is not known, whether its targets lie where
    its loss has no minimum, or its few losses did not come down to a constant prediction's, or they, or those of the one loss
    that is known or compares with labels, did not come down by hp.01.learnt, or were 0 from the first to the last, or ended below
    the 0 that a loss of their kind has for a floor."""
    outcome = learning_outcome(run_data)
    if outcome.verdict != "unknown":
        return outcome.verdict != "learnt"
    found = run_data.once(training_losses)
    if run_data.loads or found is None:
        return False
    if any(one.kind in _PROBABILITIES and (one.labels.max or 0.0) > 1 for one in run_data.probes.losses):
        return True
    losses = found[1]
    if len(losses) >= 2 and (not losses.any() or beneath_floor(run_data)):
        return True
    if len(losses) < 2 or not np.isfinite(losses).all() or not losses[0] > 0:
        return False
    if ended_above_constant(run_data):
        return True
    few = len(losses) < run_data.limit("hp.01.outcome_steps")
    known = _learns_labels(run_data) and not learns_by_rewards(run_data) and not has_adversary(run_data)
    part = 1 if few else max(5, len(losses) // 10)
    still = losses[-part:].mean() > (1 - run_data.limit("hp.01.learnt")) * losses[:part].mean()
    return bool(still and (few or known))


def ended_above_constant(run_data: RunData) -> bool:
    """Whether the last third of a training's losses, of few (hp.01.outcome_steps), lies above a constant prediction's by more
    than its standard error."""
    constant, found = run_data.once(constant_loss), run_data.once(training_losses)
    if constant is None or found is None or not _FEWEST <= len(found[1]) < run_data.limit("hp.01.outcome_steps"):
        return False
    tail = found[1][-(len(found[1]) // 3) :]
    if not np.isfinite(tail).all():
        return False
    return bool(tail.mean() - tail.std() / np.sqrt(len(tail)) >= constant.value > 0)


def _learns_labels(run_data: RunData) -> bool:
    """Whether one loss is known, or one optimizer trains on labels by a loss of the script's own."""
    labelled = any(one.label.kind in _LABELS for one in train_sets(run_data))
    return len(run_data.probes.losses) == 1 or (
        labelled and sum(one.used is not False for one in run_data.optimizers) == 1
    )
