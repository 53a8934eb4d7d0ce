"""What a linear regression, or the mean of the nearest neighbours, tells of the targets that a regression is trained on.

Hoerl and Kennard, "Ridge regression" (1970); both are held against samples that they were not made from. A network that is given
the same inputs can do what a linear regression does.
"""

from typing import Optional

import numpy as np

from msprec.probe.data.label_control import (
    LEAST,
    different,
    of_one_series,
    samples_and_targets,
    squared_distances,
    standardised,
)
from msprec.probe.steps.numpy_losses import MSE

#: Parts that the samples are cut into, each told from the others; neighbours that are asked; columns of targets at most.
_PARTS, _NEIGHBOURS, _COLUMNS = 5, 5, 16
#: Weight of the ridge beside the number of samples, for inputs of deviation 1.
_RIDGES = (0.01, 1.0)
#: Share of samples whose nearest neighbour is the window before or after in one series, from which neighbours tell nothing.
_WINDOWS = 0.02


def target_control(material, losses: list) -> Optional[dict]:
    """The entry ``target_control`` of ``probes.json``; None without one mean squared error over a few numbers a sample
    beside inputs of real numbers.

    Args:
        material: What the run has left.
        losses: The entries ``losses``.
    """
    of_amounts = [one for one in losses if one["kind"] == MSE and one["targets"]["input"] is not None]
    if len(of_amounts) != 1:
        return None
    gathered = samples_and_targets(material, of_amounts[0]["targets"]["input"], _COLUMNS)
    return explained(*gathered) if gathered is not None else None


def explained(samples: np.ndarray, targets: np.ndarray) -> Optional[dict]:
    """``{"samples", "explained", "by"}``: the share of the targets' variance that the better of the two tells, and which it is
    (``linear`` or ``neighbours``); None of less than `LEAST` different samples.

    Args:
        samples: (n, values) numbers.
        targets: (n, columns) numbers.
    """
    samples, targets = different(samples, targets.astype(np.float64))
    if len(targets) < LEAST or not (np.isfinite(samples).all() and np.isfinite(targets).all()):
        return None
    order = np.random.default_rng(0).permutation(len(targets))
    samples, targets = samples[order], targets[order]
    whole = ((targets - targets.mean(0)) ** 2).sum()
    if not whole > 0:
        return None
    scaled = standardised(samples)
    left = {"linear": min(((targets - linear_told(scaled, targets, ridge)) ** 2).sum() for ridge in _RIDGES)}
    near = neighbours_told(samples, targets)
    if near is not None:
        left["neighbours"] = ((targets - near) ** 2).sum()
    by = min(left, key=lambda one: left[one])
    return {"samples": len(targets), "explained": float(1 - left[by] / whole), "by": by}


def neighbours_told(samples: np.ndarray, targets: np.ndarray) -> Optional[np.ndarray]:
    """The targets, each as the mean of those of its nearest other samples, (n, columns); None of windows of one series.

    Args:
        samples: (n, values) numbers.
        targets: (n, columns) numbers.
    """
    nearest = squared_distances(samples).argsort(1)[:, :_NEIGHBOURS]
    series = of_one_series(samples, samples[nearest[:, 0]]).mean() > _WINDOWS
    return None if series else targets[nearest].mean(1)


def linear_told(samples: np.ndarray, targets: np.ndarray, ridge: float) -> np.ndarray:
    """The targets, each as a ridge regression over the other parts of the samples has it, (n, columns).

    Args:
        samples: (n, values), each value of deviation 1.
        targets: (n, columns) numbers.
        ridge: Weight of the squared coefficients beside the number of samples.
    """
    parts, told = np.arange(len(targets)) % _PARTS, np.empty(targets.shape)
    for part in range(_PARTS):
        known, asked = parts != part, parts == part
        mean, middle = samples[known].mean(0), targets[known].mean(0)
        x, y = samples[known] - mean, targets[known] - middle
        penalty = ridge * len(y) * np.eye(x.shape[1])
        told[asked] = middle + (samples[asked] - mean) @ np.linalg.solve(x.T @ x + penalty, x.T @ y)
    return told
