"""cg.02: an update that gives a loop's own variable the new value."""

import pytest
from building import STILL, Run, parameter

_SGD = "def sgd(params, grads, lr):\n    for p, g in zip(params, grads):\n        {}\n"


@pytest.mark.parametrize(
    ("update", "named"),
    [
        ("p = p - lr * g", True),
        ("p -= lr * g", True),
        ("ops.assign(p, p - lr * g)", False),
        ("q = p - lr * g", False),
    ],
)
def test_the_line_is_named_where_no_weight_changed(verdict, update, named):
    weights = [parameter(f"w{n}", [8, 8], moved=STILL, in_optimizer=None) for n in range(2)]
    run = Run(parameters=weights, source={"train.py": _SGD.format(update)})
    run.facts["optimizer"]["optimizers"] = []
    entry = verdict("cg.02", run)
    assert entry["conclusion"] == "problem", entry["summary"]
    assert ({"file": "train.py", "line": 3} in entry["locations"]) == named
