"""A mean absolute error of one-hot rows (cg.04)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.loss_function import class_medians
from msprec.checklists.cg.loss_function.class_medians import check_class_medians


@pytest.mark.parametrize(
    ("kind", "one_hot", "shape", "nothing", "found"),
    [
        ("l1", True, [32, 10], True, True),
        ("l1", True, [32, 10], False, False),
        ("l1", True, [32, 30], False, True),  # zeros would have 0.033
        ("l1", True, [32, 2], True, False),
        ("l1", False, [32, 10], True, False),
        ("mse", True, [32, 10], True, False),
        ("l1", True, [32], True, False),
    ],
)
def test_rows_of_classes(tmp_path, monkeypatch, kind, one_hot, shape, nothing, found):
    monkeypatch.setattr(class_medians, "came_to_nothing", lambda _: nothing)
    run = Run(steps=[{"step": n, "epoch": 1, "loss": 0.05, "lr": 0.1} for n in range(1, 60)])
    place = {"file": "train.py", "line": 9}
    loss = {"name": "L1Loss", "kind": kind, "place": place, "targets": {"one_hot": one_hot, "shape": shape}}
    run.facts["probes"] = {"losses": [loss]}
    told = check_class_medians(run_data(tmp_path, run))
    assert (told is not None) is found
    assert not found or told.places[-1].line == 9
