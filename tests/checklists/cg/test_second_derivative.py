"""cg.03: second derivatives of a network whose activations have none."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity.second_derivative import judge_second_derivative

_FIRST = "def u(t):\n    return net(t).sum()\ndu = ms.grad(u)\n"
_SECOND = _FIRST + "def total(t):\n    return du(t).sum()\nddu = ms.grad(total)\n"
_TRAIN = "step = ms.value_and_grad(objective, None, weights)\n"


@pytest.mark.parametrize(
    ("code", "activation", "line"),
    [
        (_SECOND + _TRAIN, "ReLU", 6),
        (_FIRST + "ddu = ms.grad(lambda t: du(t).sum())\n", "LeakyReLU", 4),
        (_FIRST + "ddu = ms.grad(ms.grad(u))\n", "ReLU", 4),
        (_SECOND + _TRAIN, "Tanh", None),
        (_FIRST + "def objective(t):\n    return du(t).mean()\n" + _TRAIN, "ReLU", None),  # a gradient penalty
    ],
)
def test_scripts(tmp_path, code, activation, line):
    run = Run(source={"train.py": code})
    cell = {"path": "act", "class": activation, "builtin": True, "args": "", "parameters": []}
    run.facts["network"]["networks"][0]["cells"] = [{**cell, "created": {"file": "net.py", "line": 2}}]
    found = judge_second_derivative(run_data(tmp_path, run))
    assert (found.locations[-1]["line"] if found is not None else None) == line
