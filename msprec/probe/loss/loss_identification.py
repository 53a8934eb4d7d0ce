"""Which loss of the literature a function is, told by the values that it gives on batches made for it.

A loss with settings (label smoothing, gamma, a smoothing term) has them solved from the first batch; the others confirm
them. Formulas: label smoothing of Szegedy et al. 2016, focal loss of Lin et al. 2017, Dice loss of Milletari et al. 2016,
NT-Xent of Chen et al. 2020, distillation of Hinton et al. 2015.
"""

from typing import Callable, NamedTuple, Optional

import numpy as np

from msprec.probe.steps.numpy_losses import log_softmax

_GAMMAS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
_CLOSE = 3e-4


class Batch(NamedTuple):
    """A batch and what the function gave: ``predicted``, ``labels`` as numbers of classes, or 0 and 1."""

    predicted: np.ndarray
    labels: np.ndarray
    value: float


class Found(NamedTuple):
    """A loss: its name and its settings."""

    name: str
    settings: dict


def classes(batches: list, probabilities: bool) -> Optional[Found]:
    """Of predictions (N, C, …) and class numbers (N, …): cross entropy, smoothed, or focal; each times a factor.

    ``probabilities``: whether the predictions are probabilities rather than scores.
    """
    return _smoothed(batches, probabilities) or _focal(batches, lambda one: _of_label(one, probabilities))


def binary(batches: list, probabilities: bool) -> Optional[Found]:
    """Of predictions and labels 0 or 1 of one shape: binary cross entropy, focal, Dice."""
    return (
        _focal(batches, lambda one: _of_side(one, probabilities))
        or _focal_by_side(batches, probabilities)
        or _dice(batches, probabilities)
    )


def _logs(one: Batch, probabilities: bool) -> np.ndarray:
    predicted = one.predicted.astype(np.float64)
    return np.log(predicted) if probabilities else log_softmax(predicted)


def _of_label(one: Batch, probabilities: bool) -> np.ndarray:
    """Logarithm of the probability of the label, a sample."""
    return np.take_along_axis(_logs(one, probabilities), np.expand_dims(one.labels, 1), axis=1)[:, 0]


def _sigmoid(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-values.astype(np.float64)))


def _of_side(one: Batch, probabilities: bool) -> np.ndarray:
    """Logarithm of the probability of the label 0 or 1, an element."""
    p = one.predicted.astype(np.float64) if probabilities else _sigmoid(one.predicted)
    return np.log(np.where(one.labels.reshape(p.shape) > 0.5, p, 1 - p))


def _smoothed(batches: list, probabilities: bool) -> Optional[Found]:
    """A smoothed cross entropy: (1 − ε) of the label's term and ε of the mean of all."""
    pairs = [(-_of_label(one, probabilities), -_logs(one, probabilities).mean(axis=1)) for one in batches]
    for reduce, name in ((np.mean, "mean"), (np.sum, "sum")):
        own, even = ([float(reduce(part[i])) for part in pairs] for i in (0, 1))
        if abs(even[0] - own[0]) < 1e-6:
            continue
        share = (batches[0].value - own[0]) / (even[0] - own[0])
        if 0.004 <= share <= 0.6 and _agree([o + share * (e - o) for o, e in zip(own, even)], batches):
            return Found("smoothed cross entropy", {"smoothing": round(share, 4), "reduction": name})
    return None


def _focal(batches: list, log_of: Callable) -> Optional[Found]:
    """Mean of (1 − p)^γ · −log p, times a factor; γ = 0 is the cross entropy."""
    logs = [log_of(one) for one in batches]
    for gamma in _GAMMAS:
        means = [float(((1 - np.exp(part)) ** gamma * -part).mean()) for part in logs]
        factor = batches[0].value / means[0] if means[0] > 1e-9 else 0.0
        if factor > 0 and _agree([factor * mean for mean in means], batches):
            return Found("focal loss" if gamma else "cross entropy", {"gamma": gamma, "factor": round(factor, 4)})
    return None


def _focal_by_side(batches: list, probabilities: bool) -> Optional[Found]:
    """As `_focal`, with a factor for label 1 and another for label 0: both solved from two batches."""
    if len(batches) < 3:
        return None
    logs = [_of_side(one, probabilities) for one in batches]
    for gamma in _GAMMAS:
        terms = [(1 - np.exp(part)) ** gamma * -part for part in logs]
        sides = [
            [float((term * (one.labels.reshape(term.shape) == side)).mean()) for side in (1, 0)]
            for term, one in zip(terms, batches)
        ]
        matrix = np.array(sides[:2])
        if abs(np.linalg.det(matrix)) < 1e-9:
            continue
        factors = np.linalg.solve(matrix, [one.value for one in batches[:2]])
        if (factors > 0).all() and _agree([float(np.dot(factors, side)) for side in sides], batches):
            return Found(
                "focal loss" if gamma else "weighted cross entropy",
                {
                    "gamma": gamma,
                    "factor_of_1": round(float(factors[0]), 4),
                    "factor_of_0": round(float(factors[1]), 4),
                },
            )
    return None


def _dice(batches: list, probabilities: bool) -> Optional[Found]:
    """1 − (2·Σp·y + s) ÷ (Σp + Σy + s), over the batch or a sample; with squares in the denominator or without."""
    for squares in (False, True):
        for each in (False, True):
            parts = []
            for one in batches:
                p = one.predicted.astype(np.float64) if probabilities else _sigmoid(one.predicted)
                y = one.labels.reshape(p.shape).astype(np.float64)
                axes = tuple(range(1, p.ndim)) if each else None
                parts.append((2 * (p * y).sum(axis=axes), (p**2 if squares else p).sum(axis=axes) + y.sum(axis=axes)))
            for smooth in _smoothings(parts[0], batches[0].value):
                values = [float(np.mean(1 - (both + smooth) / (all_ + smooth))) for both, all_ in parts]
                if _agree(values, batches):
                    return Found("Dice loss", {"smooth": smooth, "each_sample": each, "squares": squares})
    return None


def _smoothings(part: tuple, value: float) -> list:
    """Smoothing terms that are usual, and the one that the first value asks for."""
    usual = [0.0, 1.0, 1e-5]
    both, all_ = part
    if np.ndim(both) == 0 and abs(value) > 1e-9:
        asked = ((1 - value) * float(all_) - float(both)) / value
        return [*usual, round(asked, 4)] if 0 < asked < 1e6 else usual
    return usual


def contrastive(batches: list) -> Optional[Found]:
    """Of pairs of embeddings (``predicted`` and ``labels`` of a batch): InfoNCE and NT-Xent, with their temperature."""
    for name, formula in (("InfoNCE", _one_way), ("symmetric InfoNCE", _both_ways), ("NT-Xent", _nt_xent)):
        for unit in (True, False):
            temperature = _temperature(lambda t, f=formula, u=unit: f(batches[0], t, u), batches[0].value)
            if temperature and _agree([formula(one, temperature, unit) for one in batches], batches):
                return Found(name, {"temperature": round(temperature, 4), "normalised": unit})
    return None


def _rows(one: Batch, unit: bool) -> tuple:
    pair = [part.astype(np.float64) for part in (one.predicted, one.labels)]
    return tuple(part / np.linalg.norm(part, axis=1, keepdims=True) for part in pair) if unit else tuple(pair)


def _diagonal(similar: np.ndarray) -> float:
    return float(-np.diag(log_softmax(similar)).mean())


def _one_way(one: Batch, temperature: float, unit: bool) -> float:
    left, right = _rows(one, unit)
    return _diagonal(left @ right.T / temperature)


def _both_ways(one: Batch, temperature: float, unit: bool) -> float:
    left, right = _rows(one, unit)
    similar = left @ right.T / temperature
    return (_diagonal(similar) + _diagonal(similar.T)) / 2


def _nt_xent(one: Batch, temperature: float, unit: bool) -> float:
    all_ = np.concatenate(_rows(one, unit))
    similar = all_ @ all_.T / temperature
    np.fill_diagonal(similar, -1e9)
    half = len(all_) // 2
    return _diagonal(np.roll(similar, -half, axis=1))


def _temperature(value_at: Callable, value: float) -> Optional[float]:
    """The temperature among the usual ones whose value is met."""
    usual = (1.0, 0.5, 0.07, 0.1, 0.2, 0.05, 0.02, 0.03, 0.04, 0.25, 0.3, 0.4, 0.7, 0.8, 2.0, 8.0, 4.0, 0.01)
    return next((t for t in usual if abs(value_at(t) - value) <= _CLOSE * max(1.0, abs(value))), None)


def distillation(batches: list) -> Optional[Found]:
    """Of scores of a student and of a teacher: the divergence of their softmax at a temperature, times a factor."""
    for temperature in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 20.0, 1.5, 2.5, 0.5):
        values = []
        for one in batches:
            student, teacher = (
                log_softmax(part / temperature) for part in (one.predicted.astype(np.float64), one.labels)
            )
            values.append(float((np.exp(teacher) * (teacher - student)).sum(axis=1).mean()))
        factor = batches[0].value / values[0] if values[0] > 1e-9 else 0.0
        if factor > 0 and _agree([factor * value for value in values], batches):
            return Found("KL divergence", {"temperature": temperature, "factor": round(factor, 4)})
    return None


def _agree(values: list, batches: list) -> bool:
    return all(abs(v - one.value) <= _CLOSE * max(1e-2, abs(one.value)) for v, one in zip(values, batches))
