"""Losses computed with NumPy in float64, to compare with what a network computed.

The formulas are those of MindSpore's API pages of the functions of the same names.
"""

from typing import Optional

import numpy as np

from msprec.probe.steps.loss_input_statistics import features

SOFTMAX, NLL, BCE, BCE_LOGITS, MSE, L1 = "softmax_cross_entropy", "nll", "bce", "bce_with_logits", "mse", "l1"
#: A cross entropy over classes of what a softmax gave; MindSpore has none.
PROBABILITIES = "cross_entropy_of_probabilities"
#: What is called under each name of MindSpore's, in small letters.
KINDS = {
    "crossentropyloss": SOFTMAX,
    "cross_entropy": SOFTMAX,
    "softmaxcrossentropywithlogits": SOFTMAX,
    "softmax_cross_entropy_with_logits": SOFTMAX,
    "sparsesoftmaxcrossentropywithlogits": SOFTMAX,
    "nllloss": NLL,
    "nll_loss": NLL,
    "bceloss": BCE,
    "binary_cross_entropy": BCE,
    "binarycrossentropy": BCE,
    "bcewithlogitsloss": BCE_LOGITS,
    "bcewithlogits": BCE_LOGITS,
    "binary_cross_entropy_with_logits": BCE_LOGITS,
    "sigmoidcrossentropywithlogits": BCE_LOGITS,
    "mseloss": MSE,
    "mse_loss": MSE,
    "l1loss": L1,
    "l1_loss": L1,
    "smoothl1loss": "smooth_l1",
    "smooth_l1_loss": "smooth_l1",
    "huberloss": "huber",
    "huber_loss": "huber",
    "rmseloss": "rmse",
    "maeloss": L1,
}
#: Relative differences: of the same loss in float16, and in float32.
_CLOSE, _EXACT = 2e-3, 1e-5
#: Smallest probability of which a logarithm is taken; nearly all that write such a loss keep it from 0 in some such way.
_LEAST = 1e-7


def kind_called(name: str) -> Optional[str]:
    """The kind of the loss that MindSpore calls ``name``, in ``mint`` too; None: it is none of `KINDS`."""
    plain = name.lower()
    for ending in ("_ext", "ext"):
        if plain not in KINDS and plain.endswith(ending):
            plain = plain[: -len(ending)]
    return KINDS.get(plain)


def log_softmax(logits: np.ndarray, axis: int = 1) -> np.ndarray:
    """Logarithm of the softmax along ``axis``."""
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def elements(kind: str, predicted: np.ndarray, labels: np.ndarray) -> Optional[np.ndarray]:
    """The loss of each element (of each sample, for classes), or None where these arrays have none of this kind.

    Args:
        kind: One of the values of `KINDS`, or `PROBABILITIES`.
        predicted: (N, C, ...) for classes, any shape otherwise.
        labels: (N, ...) of class numbers or (N, C, ...) of probabilities; else of the shape of ``predicted``.
    """
    predicted, plain = predicted.astype(np.float64), labels
    labels = labels.astype(np.float64)
    with np.errstate(all="ignore"):
        if kind in (SOFTMAX, NLL):
            return (
                _classes(log_softmax(predicted) if kind == SOFTMAX else predicted, plain)
                if predicted.ndim > 1
                else None
            )
        if kind == PROBABILITIES:
            return (
                _classes(np.log(np.maximum(predicted, _LEAST)), plain) if features(predicted)["probabilities"] else None
            )
        if predicted.shape != labels.shape:
            return None
        if kind == BCE:
            low = np.maximum(np.log(predicted), -100)
            return -(labels * low + (1 - labels) * np.maximum(np.log(1 - predicted), -100))
        if kind == BCE_LOGITS:
            return np.maximum(predicted, 0) - predicted * labels + np.log1p(np.exp(-np.abs(predicted)))
        return _difference(kind, predicted - labels)


def _difference(kind: str, difference: np.ndarray) -> Optional[np.ndarray]:
    if kind == MSE:
        return difference**2
    return np.abs(difference) if kind == L1 else None


def _classes(log_probabilities: np.ndarray, labels: np.ndarray) -> Optional[np.ndarray]:
    if labels.shape == log_probabilities.shape:
        return -(labels.astype(np.float64) * log_probabilities).sum(axis=1)
    numbers = labels.reshape(-1) if labels.ndim == 2 and labels.shape[1] == 1 else labels
    expected = (log_probabilities.shape[0], *log_probabilities.shape[2:])
    if numbers.dtype.kind not in "iu" or numbers.shape != expected:
        return None
    if numbers.size and (numbers.min() < 0 or numbers.max() >= log_probabilities.shape[1]):
        return None
    return -np.take_along_axis(log_probabilities, np.expand_dims(numbers, 1), axis=1)[:, 0]


def reductions(values: np.ndarray) -> dict:
    """``{"mean", "sum", "batch_mean"}``: over all elements, and of the sums of each sample."""
    return {"mean": float(values.mean()), "sum": float(values.sum()), "batch_mean": float(values.sum() / len(values))}


def equal_reduction(value: float, again: dict) -> Optional[str]:
    """Which reduction of the recomputed elements gives ``value``; None: none does."""
    return closest_reduction(value, again)[1]


def closest_reduction(value: float, again: dict) -> tuple:
    """``(relative difference, reduction)`` of the reduction that comes closest to ``value``, the first of several; ``(inf,
    None)``: none gives it. The difference is in steps of `_EXACT`, as the means of a float32 differ in their last digits."""
    far = {name: abs(value - other) / max(1e-6, abs(other)) // _EXACT * _EXACT for name, other in again.items()}
    name = min(far, key=far.get, default=None)
    return (far[name], name) if name is not None and far[name] <= _CLOSE else (np.inf, None)
