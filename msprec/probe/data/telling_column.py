"""The one number of a sample's inputs that tells most about the sample's target, as the captured batches have them."""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.record.nested import tensors_in

#: Fewest samples, fewest samples of the rarer of two classes, and most numbers of a sample that are looked at.
_SAMPLES, _RARER, _COLUMNS = 128, 16, 512


def telling_column(material, losses: list) -> Optional[dict]:
    """The entry ``telling_column`` of ``probes.json``: the column of an input (samples, columns) of real numbers by which the
    targets are told best; None where the targets are neither two classes nor one real number a sample, or the samples are few.

    Of two classes ``strength`` is 2 |A - 1/2|, with A the area under the receiver operating characteristic of that number alone
    (Hanley and McNeil 1982); of real numbers the size of their correlation.

    Args:
        material: What the run has left.
        losses: The entries ``losses``.
    """
    positions = {one["targets"]["input"] for one in losses}
    if len(losses) != 1 or None in positions:
        return None
    batches = [[to_numpy(one) for one in tensors_in(batch)] for batch in material.batches]
    aimed = _targets(batches, positions.pop())
    if aimed is None:
        return None
    best = max((one for at in range(len(batches[0])) for one in _strengths(batches, at, aimed)), default=None)
    if best is None:
        return None
    return {"strength": best[0], "input": best[1], "column": best[2], "samples": len(aimed)}


def _targets(batches: list, position: int) -> Optional[np.ndarray]:
    """(samples,): ±1 of two classes, or real numbers with a spread; None of any other."""
    held = [arrays[position] if position < len(arrays) else np.zeros(()) for arrays in batches]
    if any(one.ndim == 0 or one.size != len(one) or one.dtype.kind not in "fiub" for one in held):
        return None
    aimed = np.concatenate([one.reshape(-1) for one in held]).astype(np.float64)
    values, counts = np.unique(aimed, return_counts=True)
    if len(aimed) < _SAMPLES or not np.isfinite(aimed).all():
        return None
    if len(values) == 2:
        return np.where(aimed == values[1], 1.0, -1.0) if counts.min() >= _RARER else None
    return aimed if held[0].dtype.kind == "f" and len(values) > _RARER else None


def _strengths(batches: list, position: int, aimed: np.ndarray) -> list:
    """``[(strength, position, column), …]``."""
    arrays = [one[position] for one in batches if position < len(one)]
    if len({one.shape[1:] for one in arrays}) != 1 or arrays[0].ndim != 2 or arrays[0].dtype.kind != "f":
        return []
    columns = np.concatenate(arrays).astype(np.float64)
    if len(columns) != len(aimed) or not 1 < columns.shape[1] <= _COLUMNS or not np.isfinite(columns).all():
        return []
    two = set(np.unique(aimed)) == {-1.0, 1.0}
    return [
        (_separation(one, aimed > 0) if two else _correlation(one, aimed), position, number)
        for number, one in enumerate(columns.T)
        if np.ptp(one)
    ]


def _separation(column: np.ndarray, positive: np.ndarray) -> float:
    """2 |A - 1/2|; numbers that are equal share their ranks."""
    _, at, counts = np.unique(column, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[at.reshape(-1)]
    n = int(positive.sum())
    area = (ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(column) - n))
    return float(abs(2 * area - 1))


def _correlation(column: np.ndarray, aimed: np.ndarray) -> float:
    return float(abs(np.corrcoef(column, aimed)[0, 1]))
