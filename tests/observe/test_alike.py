"""Whether all units of a weight are the same."""

import numpy as np
import pytest

from msprec.observe.network.parameters import alike

ROWS = np.arange(4.0)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (np.zeros((3, 4)), True),
        (np.tile(ROWS, (3, 1)), True),
        (np.tile(ROWS, (3, 1)).T, True),
        (np.tile(ROWS, (3, 1)) * (1 + 1e-6 * np.arange(3)[:, None]), True),  # but for rounding
        (np.outer([1.0, 2.0, -1.0], [1.0, 3.0, 0.5, 2.0]), False),
        (ROWS[None], False),  # one unit, of inputs that differ
        (np.ones((1, 4)), True),
        (np.random.default_rng(1).normal(size=(2, 3, 3, 3)), False),
    ],
)
def test_units_that_are_all_the_same(values, found):
    assert alike(values) is found
