"""Gradients in another order than the optimizer's parameters."""

import types

import numpy as np
import pytest

from msprec.probe.training.exchanged_gradients import exchanged_gradients

RNG = np.random.default_rng(6)
PARAMETERS = [types.SimpleNamespace(name=name, shape=(3, 4), size=12) for name in "abc"]
PARAMETERS.append(types.SimpleNamespace(name="d", shape=(12,), size=12))
GRADIENTS = [RNG.normal(size=12) for _ in PARAMETERS]


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ([0, 1, 2, 3], []),
        ([2, 1, 0, 3], [("a", "c"), ("c", "a")]),
        ([1, 2, 0, 3], [("a", "b"), ("b", "c"), ("c", "a")]),
        ([3, 1, 2, 0], []),  # of another shape: no order of these
    ],
)
@pytest.mark.parametrize("factor", [1.0, 0.01])
def test_orders(order, found, factor):
    given = factor * np.concatenate([GRADIENTS[n] for n in order])
    assert exchanged_gradients(PARAMETERS, given, np.concatenate(GRADIENTS)) == found


def test_one_that_nobody_computed():
    given = [GRADIENTS[1], GRADIENTS[0], RNG.normal(size=12), GRADIENTS[3]]
    assert exchanged_gradients(PARAMETERS, np.concatenate(given), np.concatenate(GRADIENTS)) == []
    assert exchanged_gradients(PARAMETERS, np.zeros(12), np.concatenate(GRADIENTS)) == []
