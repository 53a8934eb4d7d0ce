"""What an array that a loss was given looks like: its range, and whether it holds probabilities."""

import numpy as np

_CLOSE = 2e-3


def described(values: np.ndarray, dtype: str) -> dict:
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    known = finite.size and values.dtype.kind in "fiu"
    return {
        "dtype": dtype,
        "shape": list(values.shape),
        "min": float(finite.min()) if known else None,
        "max": float(finite.max()) if known else None,
        "distinct": len(np.unique(values)) if values.size <= 1 << 20 else None,
        "whole": bool(known and (finite == np.round(finite)).all()),
        "one_hot": one_hot_rows(values),
    }


def one_hot_rows(values: np.ndarray) -> bool:
    """Whether along axis 1, of two numbers or more, one is 1 and all others are 0."""
    if values.ndim < 2 or values.shape[1] < 2 or not values.size:
        return False
    return bool(np.isin(values, (0, 1)).all() and (values.sum(axis=1) == 1).all())


def features(values: np.ndarray) -> dict:
    """Whether the predictions are probabilities or their logarithms along the classes, or lie between 0 and 1."""
    if values.dtype.kind != "f" or not values.size or not np.isfinite(values).all():
        return {"probabilities": None, "log_probabilities": None, "unit": None}
    exact = values.astype(np.float64)
    unit = bool(exact.min() >= 0 and exact.max() <= 1)
    if values.ndim < 2 or values.shape[1] < 2:
        return {"probabilities": None, "log_probabilities": None, "unit": unit}
    sums = exact.sum(axis=1)
    with np.errstate(over="ignore"):
        totals = np.exp(exact).sum(axis=1)
    return {
        "probabilities": unit and bool(np.abs(sums - 1).max() < _CLOSE),
        "log_probabilities": bool(exact.max() <= _CLOSE and np.abs(totals - 1).max() < _CLOSE),
        "unit": unit,
    }


def is_input(array: np.ndarray, inputs: list) -> bool:
    """Whether an array holds the same numbers as one of the step's inputs, in whatever shape."""
    flat = array.reshape(-1)
    return any(
        one.size == flat.size and np.array_equal(one.reshape(-1).astype(np.float64), flat.astype(np.float64))
        for one in inputs
        if one.dtype.kind in "fiub" and flat.dtype.kind in "fiub"
    )
