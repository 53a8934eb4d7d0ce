"""How far a training came that left something of a constant prediction's loss (cg.03)."""

from typing import Optional

from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.run_data import RunData


def unsolved_gain(run_data: RunData) -> Optional[float]:
    """The share of a constant prediction's loss that is gone; None where it is not known, or cg.03.solved and more."""
    gain = learning_outcome(run_data).gain
    return gain if gain is not None and gain < run_data.limit("cg.03.solved") else None
