"""Whether a loss of features and class numbers, as metric learning has it, tells classes apart: called with features made up."""

from typing import Callable, Optional

import numpy as np

#: Fewest samples of each of two classes; largest features that are tried, in elements.
_LEAST, _LARGEST = 2, 1 << 18
#: Features of a class lie about its point within this share of their length: a distance of 0 has no gradient, and a miner that
#: looks for a harder negative needs some difference.
_SPREAD = 0.05
#: Relative difference below which two values are the same.
_SAME = 1e-3


def class_separation(call: Callable, features: np.ndarray, labels: np.ndarray, value: float) -> Optional[dict]:
    """The entry ``separation`` of ``probes.json: own_losses``.

    Args:
        call: ``call(features, labels)`` gives the loss as a float.
        features: (N, D) float32, D of 2 or more, as they were in the step.
        labels: (N,) or (N, 1) class numbers.
        value: What it gave there.

    Returns:
        dict: None where the loss changes when all features are turned by one rotation, or the classes are numbered otherwise:
        it is then not one of distances or angles between samples of equal and of different classes.
    """
    numbers = labels.reshape(-1)
    known, counts = np.unique(numbers, return_counts=True)
    fits = features.ndim == 2 and features.shape[1] > 1 and len(numbers) == len(features) and numbers.dtype.kind in "iu"
    if not fits or features.size > _LARGEST or (counts >= _LEAST).sum() < 2 or not np.isfinite(features).all():
        return None
    if not np.isfinite(value) or value == 0:  # what is 0 stays so however it is turned
        return None
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(features.shape[1], features.shape[1])))[0].astype(np.float32)
    renamed = known[np.roll(np.arange(len(known)), 1)][np.searchsorted(known, numbers)]
    others = (call(features @ turn, labels), call(features, renamed.reshape(labels.shape).astype(labels.dtype)))
    if any(not np.isfinite(one) or abs(one - value) > _SAME * max(abs(value), 1e-6) for one in others):
        return None
    classes = np.searchsorted(known, numbers)
    length = float(np.linalg.norm(features, axis=1).mean()) or 1.0
    noise = rng.normal(size=features.shape) * _SPREAD / np.sqrt(features.shape[1])
    points = _points(len(known), features.shape[1], rng)

    def at(where: np.ndarray) -> float:
        made = points[where] + noise
        return call((length * made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32), labels)

    return {"apart": at(classes), "together": at(np.zeros_like(classes)), "mixed": at(rng.permutation(classes))}


def _points(count: int, width: int, rng: np.random.Generator) -> np.ndarray:
    """``(count, width)`` points of length 1, at right angles where there is room for that."""
    if count <= width:
        return np.eye(count, width)
    made = rng.normal(size=(count, width))
    return made / np.linalg.norm(made, axis=1, keepdims=True)
