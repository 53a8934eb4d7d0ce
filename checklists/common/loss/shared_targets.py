"""Rows of targets in which the labels of a sample share a one: ``tags / tags.sum(1)`` (cg.04, ds.02)."""

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_BINARY = ("bce", "bce_with_logits")
#: Columns from which on; values that differ, at most so many times the columns: 0 and 1, 1/2, 1/3 … alone.
_LABELS, _VALUES = 3, 2


def are_shared(loss: Fact) -> bool:
    """Whether a binary cross entropy is given rows that all add up to 1, of a few values with 0 among them, and no one-hot ones:
    smoothed labels have no 0."""
    targets = loss.targets
    shape = targets.shape or []
    if loss.kind not in _BINARY or len(shape) != 2 or shape[1] < _LABELS or targets.one_hot or targets.min != 0:
        return False
    fractions = 2 < (targets.distinct or 0) <= _VALUES * shape[1]
    return fractions and bool(targets.rows) and targets.not_one == 0


def any_shared(run_data: RunData) -> bool:
    """Whether one of the run's losses is given such rows."""
    return any(are_shared(one) for one in run_data.probes.losses)
