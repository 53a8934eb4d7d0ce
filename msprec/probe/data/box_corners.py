"""Whether boxes given by two corners have these the same way round in all samples.

The two coordinates of a box's sides are never near each other, so that which is the smaller one is plain. Where it is the first
in some samples and the second in others, as after a mirroring that leaves the corners in their places, one of the two kinds is
wrong. Other pairs of numbers whose order changes from sample to sample come near each other in some.
"""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.record.nested import tensors_in

#: Fewest samples, and fewest different numbers in a column.
_LEAST, _DIFFERENT = 64, 16
#: Two sides are never near each other: nearer than this part of their median distance in this share of the samples at most.
_NEAR, _SHARE = 0.125, 0.01


def box_corners(material) -> Optional[dict]:
    """The entry ``box_corners`` of ``probes.json``; None where no input has four real numbers a sample that are two corners.

    Args:
        material: What the run has left.
    """
    batches = [list(tensors_in(batch)) for batch in material.batches]
    for position in range(len(batches[0])):
        parts = [batch[position] for batch in batches if len(batch) > position]
        if all("Float" in str(part.dtype) and part.ndim == 2 and part.shape[1] == 4 for part in parts):
            found = _corners(np.concatenate([to_numpy(part) for part in parts]).astype(np.float64))
            if found is not None:
                return {"input": position, **found}
    return None


def _corners(rows: np.ndarray) -> Optional[dict]:
    """``samples`` and, of left and right and of top and bottom, in how many the second is the ``smaller``; None: no boxes."""
    different = min(len(np.unique(column)) for column in rows.T)
    if len(rows) < _LEAST or different < _DIFFERENT or not np.isfinite(rows).all():
        return None
    sizes = rows[:, 2:] - rows[:, :2]
    near = np.abs(sizes) < _NEAR * np.median(np.abs(sizes), axis=0)
    spread = rows.std(axis=0)
    if (near.mean(axis=0) > _SHARE).any() or spread.max() > 4 * spread.min():
        return None
    return {"samples": len(rows), "smaller": [int(count) for count in (sizes < 0).sum(axis=0)]}
