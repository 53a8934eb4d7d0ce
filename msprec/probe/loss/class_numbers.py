"""Whether targets that a squared or absolute error is computed with are the numbers of classes, whose order says nothing.

Amounts that were rounded lie next to each other: the nearest sample with another number has a neighbouring one. Of classes it has
any: numbering them at random would bring it as near.
"""

from typing import Optional

import numpy as np

from msprec.probe.data.label_control import LEAST, different, samples_and_labels, squared_distances
from msprec.probe.steps.numpy_losses import L1, MSE

#: Kinds of losses that take targets for amounts.
_OF_AMOUNTS = (MSE, L1, "smooth_l1", "huber", "rmse", "residual")
#: Fewest classes (three can be numbered in three ways that differ) and most; random numberings.
_FEWEST, _CLASSES, _NUMBERINGS = 4, 100, 500


def class_numbers(material, losses: list, own: list) -> Optional[dict]:
    """The entry ``class_numbers`` of ``probes.json``; None where no such loss has one target a sample, a few numbers at equal
    distances.

    Args:
        material: What the run has left.
        losses: The entries ``losses``.
        own: The entries ``own_losses``.
    """
    of_amounts = [one for one in losses if one["kind"] in _OF_AMOUNTS]
    of_amounts += [one for one in own if (one.get("behaviour") or {}).get("kind") == "regression"]
    positions = {(one.get("targets") or {}).get("input") for one in of_amounts}
    if len(positions) != 1 or None in positions:
        return None
    position = positions.pop()
    gathered = samples_and_labels(material, position)
    found = numbered(*gathered) if gathered is not None else None
    return {"input": position, **found} if found is not None else None


def numbered(samples: np.ndarray, targets: np.ndarray) -> Optional[dict]:
    """``{"samples", "classes", "agreement", "apart", "renumbered", "closer"}``: the share of samples whose nearest neighbour has
    their number; how many numbers the nearest sample with another one is apart, on average; the median of that with the classes
    numbered at random; the share of these numberings that bring it closer.

    Args:
        samples: (n, values) numbers.
        targets: (n,) numbers.
    """
    samples, targets = different(samples, targets)
    values, classes = np.unique(targets, return_inverse=True)
    if len(targets) < LEAST or not _FEWEST <= len(values) <= _CLASSES or not np.isfinite(samples).all():
        return None
    steps = np.diff(values.astype(np.float64))
    if np.ptp(steps) > 1e-3 * steps.max():
        return None
    distances = squared_distances(samples)
    agreement = float((classes[distances.argmin(1)] == classes).mean())
    distances[classes[:, None] == classes] = np.inf
    other = classes[distances.argmin(1)]
    rng, plain = np.random.default_rng(0), np.arange(len(values))
    apart = float(np.abs(classes - other).mean())
    again = []
    for _ in range(_NUMBERINGS):
        numbers = rng.permutation(plain)
        again.append(np.abs(numbers[classes] - numbers[other]).mean())
    return {
        "samples": len(targets),
        "classes": len(values),
        "agreement": agreement,
        "apart": apart,
        "renumbered": float(np.median(again)),
        "closer": float((np.array(again) < apart).mean()),
    }
