"""Weights that ended as a multiple of what they were: decayed and never trained."""

import numpy as np
import pytest

from msprec.observe.network.parameters import _is_multiple


def _decayed(start, updates, factor, gradient=0.0):
    values, rng = start.copy(), np.random.default_rng(1)
    for _ in range(updates):
        values = (values * np.float32(factor) + np.float32(gradient) * rng.normal(size=values.size)).astype(np.float32)
    return values


@pytest.mark.parametrize(
    ("updates", "factor", "gradient", "multiple"),
    [
        (1, 0.99, 0.0, True),
        (200, 1 - 2e-7, 0.0, True),  # rounding is a tenth of what the decay did
        (200, 1 - 1e-4, 0.0, True),
        (200, 1 - 1e-4, 1e-4, False),
        (200, 1.0, 1e-6, False),
        (200, 1.001, 0.0, False),  # grown
    ],
)
def test_decay_alone(updates, factor, gradient, multiple):
    start = np.random.default_rng(0).normal(0, 0.1, 192).astype(np.float32)
    end = _decayed(start, updates, factor, gradient)
    a, b = start.astype(np.float64), end.astype(np.float64)
    assert _is_multiple(a, b, float(np.linalg.norm(b - a))) is multiple
