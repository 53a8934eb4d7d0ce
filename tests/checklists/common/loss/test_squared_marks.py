"""Marks of two classes that a loss of values takes for amounts (cg.04)."""

from types import SimpleNamespace

import pytest
from building import Run, run_data

from msprec.bilingual import Text
from msprec.checklists.common.loss import class_numbers
from msprec.checklists.common.loss.class_numbers import squared_marks

PLACE = {"file": "train.py", "line": 3}
LAST = {"file": "train.py", "line": 2}
MARKS = {"distinct": 2, "whole": True, "min": 0.0, "max": 1.0, "inputs": 2}


@pytest.mark.parametrize(
    ("targets", "shape", "verdict", "steps", "found"),
    [
        ({}, [32, 1], "nothing", 400, True),
        ({}, [32], "nothing", 400, True),
        ({}, [32, 1], "learnt", 400, False),
        ({}, [32, 1], "nothing", 5, False),  # too short to tell
        ({"min": -1.0}, [32, 1], "nothing", 400, False),  # of a hinge, or of tanh
        ({"distinct": 9}, [32, 1], "nothing", 400, False),
        ({}, [32, 64], "nothing", 400, False),  # a binary picture
        ({"inputs": 1}, [32, 1], "nothing", 400, False),  # the inputs themselves
    ],
)
@pytest.mark.parametrize("operator", ["relu", "Dense"])
def test_marks(tmp_path, monkeypatch, targets, shape, verdict, steps, found, operator):
    monkeypatch.setattr(
        class_numbers, "learning_outcome", lambda run_data: SimpleNamespace(verdict=verdict, steps=steps)
    )
    output = {"operator": operator, "place": LAST, "low": 0.0 if operator == "relu" else None, "high": None}
    run = Run()
    run.facts["probes"] = {
        "losses": [{"place": PLACE, "targets": {**MARKS, **targets}, "predicted": {"shape": shape}, "output": output}],
        "skipped": {},
    }
    data = run_data(tmp_path, run)
    told = squared_marks(data.probes.losses[0], Text("均方误差", "MSELoss"), data)
    assert (told is not None) is found
    if found:
        assert [one.line for one in told.places] == ([3, 2] if operator == "relu" else [3])
