"""Whether a training came to nothing, so that what one of its settings did to it cannot be seen beside what else is wrong."""

import numpy as np

from msprec.checklists.common.constant_prediction import learning_outcome, training_losses
from msprec.checklists.common.reinforcement import has_adversary, learns_by_rewards
from msprec.engine.run_data import RunData

#: Losses whose targets have to lie between 0 and 1.
_PROBABILITIES = ("bce", "bce_with_logits")


def came_to_nothing(run_data: RunData) -> bool:
    """Whether the training ended near a constant prediction or diverged; where that is not known, whether its targets lie where
    its loss has no minimum, or its few losses, or those of the one loss that is known, did not come down by hp.01.learnt."""
    outcome = learning_outcome(run_data)
    if outcome.verdict != "unknown":
        return outcome.verdict != "learnt"
    found = run_data.once(training_losses)
    if run_data.loads or found is None:
        return False
    if any(one.kind in _PROBABILITIES and (one.labels.max or 0.0) > 1 for one in run_data.probes.losses):
        return True
    losses = found[1]
    if len(losses) < 2 or not np.isfinite(losses).all() or not losses[0] > 0:
        return False
    few = len(losses) < run_data.limit("hp.01.outcome_steps")
    known = len(run_data.probes.losses) == 1 and not learns_by_rewards(run_data) and not has_adversary(run_data)
    part = 1 if few else max(5, len(losses) // 10)
    still = losses[-part:].mean() > (1 - run_data.limit("hp.01.learnt")) * losses[:part].mean()
    return bool(still and (few or known))
