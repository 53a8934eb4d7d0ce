"""Gradients that an optimizer is given in another order than that of its parameters."""

import numpy as np

#: Least cosine of the gradient that a parameter is given with one that was computed, by which they are the same.
_SAME = 0.999


def exchanged_gradients(parameters: list, given: np.ndarray, computed: np.ndarray) -> list:
    """``[(name, name), …]`` of the parameters that are given the gradient of another one of the same shape, and of that;
    empty where some gradient is none of those that were computed, or all are their own.

    Args:
        parameters: The optimizer's, in its order.
        given: What it is given, one after the other: (n,).
        computed: The gradients of these parameters: (n,).
    """
    ends = np.cumsum([one.size for one in parameters])
    if len(given) != len(computed) or not len(ends) or ends[-1] != len(given):
        return []
    theirs, own = np.split(given, ends[:-1]), np.split(computed, ends[:-1])
    found: list = []
    for at, (parameter, gradient) in enumerate(zip(parameters, theirs)):
        if not gradient.any() or _alike(gradient, own[at]):
            continue
        others = [n for n, one in enumerate(parameters) if n != at and tuple(one.shape) == tuple(parameter.shape)]
        source = next((n for n in others if _alike(gradient, own[n])), None)
        if source is None:
            return []
        found.append((parameter.name, parameters[source].name))
    return found


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether they differ by a factor above 0 alone, as by clipping to a norm."""
    size = np.linalg.norm(one) * np.linalg.norm(other)
    return bool(size > 0 and np.isfinite(size) and float(one @ other) >= _SAME * size)
