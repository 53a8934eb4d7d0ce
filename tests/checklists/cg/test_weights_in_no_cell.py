"""cg.02: weights that stand in no cell: an update that gives a loop's own variable the new value, and constants."""

import pytest
from building import STILL, Run, parameter, run_data

from msprec.checklists.common.weights.weight_updates import by_network

_SGD = "def sgd(params, grads, lr):\n    for p, g in zip(params, grads):\n        {}\n"


@pytest.mark.parametrize(
    ("update", "named"),
    [
        ("p = p - lr * g", True),
        ("p -= lr * g", True),
        ("ops.assign(p, p - lr * g)", False),
        ("q = p - lr * g", False),
        ("params = [p - lr * g for p, g in zip(params, grads)]", True),
        ("sizes = [abs(p) for p in params]", False),
    ],
)
def test_the_line_is_named_where_no_weight_changed(verdict, update, named):
    weights = [parameter(f"w{n}", [8, 8], moved=STILL, in_optimizer=None) for n in range(2)]
    run = Run(parameters=weights, source={"train.py": _SGD.format(update)})
    run.facts["optimizer"]["optimizers"] = []
    entry = verdict("cg.02", run)
    assert entry["conclusion"] == "problem", entry["summary"]
    assert ({"file": "train.py", "line": 3} in entry["locations"]) == named


@pytest.mark.parametrize(("shape", "conclusion"), [([4], "ok"), ([8, 4], "problem")])
def test_a_constant_of_the_loss_beside_what_trains(verdict, shape, conclusion):
    """A vector in no cell may be the weights of classes; a matrix that no optimizer has is a layer left out."""
    beside = parameter("beside", shape, cell_class="", in_optimizer=False, moved=STILL)
    assert verdict("cg.02", Run(parameters=[parameter("fc.weight", [8, 8]), beside]))["conclusion"] == conclusion


def test_networks_are_told_apart_beside_weights_in_no_cell(tmp_path):
    """The temperature of a loss is of neither network."""
    names = {"Student": "student.weight", "Teacher": "teacher.weight"}
    networks = [
        {"id": n, "class": name, "cells": [{"path": "", "class": name, "parameters": [weight]}]}
        for n, (name, weight) in enumerate(names.items())
    ]
    weights = [*(parameter(one, [8, 8]) for one in names.values()), parameter("temperature", [1], cell_class="")]
    found = by_network(run_data(tmp_path, Run(network=networks, parameters=weights)))
    assert [(name, [one.name for one in own]) for name, own in found] == [(n, [w]) for n, w in names.items()]
