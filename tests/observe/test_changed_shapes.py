"""What calls make of shapes, held against NumPy."""

import numpy as np
import pytest

from msprec.observe.evaluation.changed_shapes import SHAPE_CHANGING, changed_shape

SHAPES = [(8,), (8, 1), (1, 8), (4, 2, 1), (), (1,)]
NUMBERS = [(), (0,), (1,), (-1,), (5,), (-1, 1), (4, 2), (2, -1, 2), (-1, -1), (3, -1)]


@pytest.mark.parametrize("name", [name for name in SHAPE_CHANGING if name != "view"])
def test_as_numpy(name):
    calls = [(shape, numbers, changed_shape(name, shape, numbers, None)) for shape in SHAPES for numbers in NUMBERS]
    told = [call for call in calls if call[2] is not None]
    assert len(told) > 5
    for shape, numbers, changed in told:
        given = (numbers,) if name == "reshape" else numbers
        assert np.shape(getattr(np.zeros(shape), name)(*given)) == changed


@pytest.mark.parametrize(
    ("name", "shape", "numbers", "axis", "told"),
    [
        ("reshape", (8,), (-1, 1), None, (8, 1)),
        ("view", (8, 1), (-1,), None, (8,)),
        ("ravel", (4, 2), (), None, (8,)),
        ("squeeze", (8, 1), (), None, (8,)),
        ("argmax", (8, 3), (), 1, (8,)),
        ("argmax", (8, 3), (-1,), None, (8,)),
        ("mean", (8, 3), (), None, ()),
        ("sum", (8, 3), (1, 0), None, None),
        ("reshape", (8,), (3, -1), None, None),
        ("squeeze", (8, 3), (1,), None, None),
    ],
)
def test_told(name, shape, numbers, axis, told):
    assert changed_shape(name, shape, numbers, axis) == told
