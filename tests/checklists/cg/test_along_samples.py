"""cg.04: a softmax over the samples, of whose rows the loss takes some."""

import pytest
from building import Run

PLACE = {"file": "train.py", "line": 3}


@pytest.mark.parametrize(
    ("axes", "shape", "wrong"),
    [([0], [100, 5], True), ([1], [100, 5], False), ([0], [100, 100], False)],  # of a square both axes may be classes
)
def test_what_the_loss_of_the_script_takes_rows_of(verdict, axes, shape, wrong):
    output = {
        "operator": "log_softmax",
        "name": "logsoftmax",
        "place": PLACE,
        "plain": True,
        "axes": axes,
        "shape": shape,
    }
    loss = {
        "name": "nll",
        "place": PLACE,
        "final": True,
        "written": True,
        "output": output,
        "behaviour": {"kind": "classes"},
    }
    run = Run()
    run.facts["probes"] = {"losses": [], "own_losses": [loss], "broadcasts": [], "skipped": {}}
    entry = verdict("cg.04", run)
    assert ("goes along axis 0" in entry["summary"]) == wrong, entry["summary"]
