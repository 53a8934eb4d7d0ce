"""td.03: softmaxes as the activations between layers."""

import pytest
from building import Run, run_data

from msprec.checklists.td.units.check import units
from msprec.checklists.td.units.lost_units import Moments
from msprec.checklists.td.units.softmax_between import softmax_between


def _entry(kind, cell, units):
    hidden = {"hidden": cell != "4", "direct": kind == "softmax", "gate": False}
    return {"kind": kind, "operator": kind, "cell": cell, "units": units, "alike": 0, "input_alike": False, **hidden}


def _run(softmaxes, end):
    kinds = ["layer", "softmax" if softmaxes else "relu", "layer", "softmax" if softmaxes > 1 else "relu", "layer"]
    entries = [_entry(kind, str(place), 16 if place < 4 else 4) for place, kind in enumerate(kinds)]
    run = Run(steps=[{"step": n, "epoch": 1, "loss": 1.4 if n < 20 else end, "lr": 0.1} for n in range(1, 136)])
    run.facts["probes"] = {"units": {"moments": [{"moment": "end", "step": 100, "samples": 64, "entries": entries}]}}
    run.facts["parameters"]["parameters"] = [
        {"name": f"{cell}.weight", "shape": shape} for cell, shape in (("0", [16, 8]), ("2", [16, 16]), ("4", [4, 16]))
    ]
    return run


@pytest.mark.parametrize(
    ("softmaxes", "end", "found"),
    [(2, 0.8, ["1", "3"]), (2, 0.01, []), (1, 2.2, ["1"]), (1, 0.8, []), (0, 0.8, [])],
)
def test_how_many_and_what_was_learnt(tmp_path, softmaxes, end, found):
    data = run_data(tmp_path, _run(softmaxes, end))
    assert [one.entry.cell for one in softmax_between(data, Moments(data))] == found


@pytest.mark.parametrize(("end", "names"), [(2.2, ["1", "3"]), (0.8, ["1"])])
def test_behind_dead_units_it_is_told_too(tmp_path, end, names):
    run = _run(1, end)
    moments = run.facts["probes"]["units"]["moments"]
    entries = moments[0]["entries"]
    entries[1].update(kind="relu", dead=16, operator="ReLU", place={"file": "train.py", "line": 1})
    entries[3].update(kind="softmax", direct=True, operator="Softmax", place={"file": "train.py", "line": 3})
    run.facts["probes"]["units"]["moments"] = [{**moments[0], "moment": "start", "step": 1}, *moments]
    found = units(run_data(tmp_path, run))
    told = found.summary.render("en")
    assert found.conclusion == "problem" and "16 of 16 units of 1 (ReLU)" in told
    assert ("3 (Softmax) is the activation between" in told) is (len(names) > 1)
