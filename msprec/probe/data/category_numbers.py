"""A column of inputs whose numbers are names of levels: the target goes with each level, and not with the number (td.05)."""

from typing import Optional

import numpy as np

from msprec.probe.data.label_control import LEAST, class_rows, different, samples_and_targets, standardised
from msprec.probe.data.target_control import linear_told
from msprec.probe.steps.numpy_losses import BCE, BCE_LOGITS, MSE, SOFTMAX

#: Levels of a column, samples of a level on average, columns of inputs and of targets, and classes at most.
_LEVELS, _EACH, _FEATURES, _COLUMNS, _CLASSES = (8, 64), 10, 64, 16, 10
#: Degree of the curve through the levels' numbers; weight of the ridge regression.
_DEGREE, _RIDGE = 5, 0.01


def category_numbers(material, losses: list) -> Optional[dict]:
    """The entry ``category_numbers`` of ``probes.json``: the column of evenly spaced numbers of which the levels tell the targets
    by most more than a smooth curve over the number, or than the levels next to it, do; None where there is no such column.

    Of the targets that is looked at which a linear regression on the other columns leaves. Shares are of the variance of all,
    adjusted for the number of coefficients.

    Args:
        material: What the run has left.
        losses: The entries ``losses``.
    """
    known = [one for one in losses if one["targets"]["input"] is not None]
    if len(losses) != 1 or len(known) != 1 or known[0]["kind"] not in (MSE, SOFTMAX, BCE, BCE_LOGITS):
        return None
    softmax = known[0]["kind"] == SOFTMAX
    gathered = samples_and_targets(material, known[0]["targets"]["input"], 1 if softmax else _COLUMNS)
    gathered = different(*gathered) if gathered is not None else None  # what several passes bring again tells no more
    if gathered is None or not 1 < gathered[0].shape[1] <= _FEATURES or len(gathered[1]) < LEAST:
        return None
    samples, targets = gathered[0], class_rows(gathered[1], _CLASSES) if softmax else gathered[1].astype(np.float64)
    if (
        targets is None
        or not targets.var(0).sum() > 0
        or not (np.isfinite(samples).all() and np.isfinite(targets).all())
    ):
        return None
    found = [(*shares, column) for column in range(samples.shape[1]) if (shares := _of(samples, targets, column))]
    if not found:
        return None
    levels, by_level, by_number, column = max(found, key=lambda one: one[1] - one[2])
    rest = {"column": column, "columns": int(samples.shape[1]), "levels": levels, "samples": len(targets)}
    return {**rest, "by_level": by_level, "by_number": by_number}


def _of(samples: np.ndarray, targets: np.ndarray, column: int) -> Optional[tuple]:
    """``(levels, share by the level, share by the number)`` of a column; None of one without levels."""
    numbers, at, counts = np.unique(samples[:, column], return_inverse=True, return_counts=True)
    few, most = _LEVELS
    if not few <= len(numbers) <= most or len(at) < _EACH * len(numbers) or not _evenly(numbers):
        return None
    others = np.delete(samples, column, 1)
    left = targets - linear_told(standardised(others), targets, _RIDGE)
    left -= left.mean(0)
    whole, count = ((targets - targets.mean(0)) ** 2).sum(), len(at)
    means = np.stack([np.bincount(at, one) / counts for one in left.T], 1)
    place = np.linspace(-1, 1, len(numbers))
    curve = np.polynomial.polynomial.polyfit(place, means, _DEGREE, w=np.sqrt(counts))
    smooth = np.polynomial.polynomial.polyval(place, curve).T.reshape(means.shape)
    near = np.stack(
        [means[[one for one in (n - 1, n + 1) if 0 <= one < len(means)]].mean(0) for n in range(len(means))]
    )

    def share(told: np.ndarray, coefficients: int) -> float:
        """What is told of the targets by a number of each level, less what as many coefficients tell by chance."""
        error = ((left - told[at]) ** 2).sum()
        return float(((left**2).sum() - error * (count - 1) / (count - coefficients - 1)) / whole)

    return len(numbers), share(means, len(numbers) - 1), max(share(smooth, _DEGREE), share(near, _DEGREE), 0.0)


def _evenly(numbers: np.ndarray) -> bool:
    """Whether numbers are evenly spaced, but for gaps of levels that did not come."""
    steps = np.diff(numbers)
    counted = steps / steps.min()
    return bool(np.abs(counted - counted.round()).max() < 1e-2 and counted.max() <= 4)
