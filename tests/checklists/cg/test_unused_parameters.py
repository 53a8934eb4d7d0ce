"""cg.03: parameters of a script without cells that nothing computes with."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity.unused_parameters import judge_unused_parameters

_MADE = "w1, b1 = weight(2, 9), bias(9)\nw2, b2 = weight(9, 1), bias(1)\n"
_TUPLE = "params = ParameterTuple([w1, b1, w2, b2])\n"
_WITHOUT = "def f(x):\n    return matmul(tanh(matmul(x, w1)), w2) + b2\n"
_WITH = "def f(x):\n    return matmul(tanh(matmul(x, w1) + b1), w2) + b2\n"
_GRADIENTS = "g = ms.value_and_grad(f, None, {})\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (_MADE + _TUPLE + _WITHOUT, [5, 1]),
        (_MADE + _TUPLE + _WITH, None),
        (_MADE + _WITHOUT + _GRADIENTS.format("[w1, b1, w2, b2]"), [4, 1]),
        (_MADE + "held = [w1, b1, w2, b2]\n" + _WITHOUT + _GRADIENTS.format("held"), [5, 1]),
        (_MADE + _TUPLE + "def f(x):\n    return matmul(x, params[0]) + params[1]\n", None),  # read by their places
        (_MADE + _TUPLE + "def f(x):\n    w1, b1, w2, b2 = params\n    return matmul(x, w1) + b2\n", None),
        (_MADE + _TUPLE + _WITHOUT + "print(b1.shape)\n", None),
    ],
)
def test_parameters(tmp_path, code, lines):
    found = judge_unused_parameters(run_data(tmp_path, Run(source={"train.py": code})))
    assert ([one["line"] for one in found.locations] if found is not None else None) == lines
