"""What labels are to a prediction, by the shapes and values of both: classes, two sides, or real numbers."""

from typing import Optional

import numpy as np


def kind_of(predicted: np.ndarray, labels: np.ndarray) -> Optional[str]:
    """``classes``, ``binary`` or ``regression``; None where the shapes or values fit none."""
    if predicted.dtype.kind != "f" or labels.dtype.kind not in "fiub" or not labels.size or not len(labels):
        return None
    if predicted.ndim > 1 and predicted.shape[1] > 1 and class_numbers(predicted, labels) is not None:
        return "classes"
    if predicted.size != labels.size or len(labels) < 2:
        return None
    two = np.isin(labels, (0, 1)).all()
    if two and 0 < labels.astype(np.float64).mean() < 1:
        return "binary"
    return "regression" if labels.dtype.kind == "f" and not two and np.isfinite(labels).all() else None


def class_numbers(predicted: np.ndarray, labels: np.ndarray) -> Optional[np.ndarray]:
    """Labels as class numbers of the shape of ``predicted`` without its axis 1; None where they are none."""
    if labels.shape == predicted.shape:
        one_hot = np.isin(labels, (0, 1)).all() and (labels.sum(axis=1) == 1).all()
        return labels.argmax(axis=1) if one_hot else None
    wanted = (predicted.shape[0], *predicted.shape[2:])
    if labels.size != int(np.prod(wanted)) or len(labels) != wanted[0] or labels.dtype.kind not in "iu":
        return None
    numbers = labels.reshape(wanted).astype(np.int64)
    return numbers if numbers.min() >= 0 and numbers.max() < predicted.shape[1] else None
