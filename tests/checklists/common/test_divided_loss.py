"""A known loss that the script divides by the batches of an update."""

import pytest
from building import Run, dataset, run_data, train_step

from msprec.checklists.common.training.constant_prediction import constant_loss

CODE = "def objective(x, y):\n    return ops.cross_entropy(net(x), y) / 4\n"


@pytest.mark.parametrize(
    ("accumulation", "first", "code", "factor"),
    [
        (4, 2.4 / 4, CODE, 0.25),
        (1, 2.4 / 4, CODE, None),  # divided by something else
        (4, 2.4, CODE, None),  # what is recorded is the whole loss, and something was added to it elsewhere
        (4, 2.4, "", 1.0),
    ],
)
def test_the_constant_is_divided_as_well(tmp_path, accumulation, first, code, factor):
    made = Run(source={"train.py": code}, datasets=[dataset()])
    for step in made.steps:
        step["loss"] = first
    made.set("train_step", [train_step(style="functional", count=100, accumulation=accumulation)])
    entry = {"kind": "softmax_cross_entropy", "name": "cross_entropy", "value": 2.4, "equals": "mean"}
    made.facts["probes"] = {"skipped": {}, "losses": [entry]}
    found = constant_loss(run_data(tmp_path, made))
    whole = Run(datasets=[dataset()])
    whole.facts["probes"] = {"skipped": {}, "losses": [entry]}
    plain = constant_loss(run_data(tmp_path / "whole", whole))
    assert (found is None) is (factor is None)
    assert factor is None or found.value == pytest.approx(factor * plain.value)
