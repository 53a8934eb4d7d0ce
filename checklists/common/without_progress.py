"""Whether a training came to nothing, so that what one of its settings did to it cannot be seen beside what else is wrong."""

import numpy as np

from msprec.checklists.common.constant_prediction import learning_outcome, training_losses
from msprec.engine.run_data import RunData

#: Losses whose values have to lie between 0 and 1, and the items of a loss that says so.
_PROBABILITIES = ("bce", "bce_with_logits")


def came_to_nothing(run_data: RunData) -> bool:
    """Whether the training ended near a constant prediction or diverged; where that is not known, whether its targets lie where
    its loss has no minimum, or its few losses did not come down by hp.01.learnt."""
    outcome = learning_outcome(run_data)
    if outcome.verdict != "unknown":
        return outcome.verdict != "learnt"
    found = run_data.once(training_losses)
    if run_data.loads or found is None:
        return False
    if any(one.kind in _PROBABILITIES and (one.labels.max or 0.0) > 1 for one in run_data.probes.losses):
        return True
    losses = found[1]
    few = 1 < len(losses) < run_data.limit("hp.01.outcome_steps") and np.isfinite(losses).all() and losses[0] > 0
    return bool(few and losses[-1] > (1 - run_data.limit("hp.01.learnt")) * losses[0])
