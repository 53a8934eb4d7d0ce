"""td.03: units of a ReLU that give zero for all samples, beside what the training came to."""

import pytest
from building import Run, run_data

from msprec.checklists.td.units.initial_weights import far_biases, narrow_before
from msprec.checklists.td.units.lost_units import Lost, Moments


@pytest.mark.parametrize(
    ("end", "dead", "found"),
    [
        (1.5, 60, ["dead"]),
        (1.5, 30, []),
        (0.1, 60, []),  # units to spare: the training did well without them
    ],
)
def test_units_that_are_dead(tmp_path, end, dead, found):
    entry = {"kind": "relu", "operator": "ReLU", "cell": "1", "units": 64, "dead": dead, "hidden": True}
    run = Run(steps=[{"step": n, "epoch": 1, "loss": 2.3 if n < 10 else end, "lr": 0.1} for n in range(1, 136)])
    run.facts["probes"] = {"units": {"moments": [{"moment": "end", "step": 135, "samples": 64, "entries": [entry]}]}}
    assert [one.why for one in Moments(run_data(tmp_path, run)).lost()] == found


@pytest.mark.parametrize(
    ("why", "since", "low", "high", "value"),
    [
        ("dead", "start", -10.0, -10.0, -10.0),
        ("dead", "start", -10.0, 0.1, None),
        ("dead", "end", -10.0, -10.0, None),
        ("dead", "start", 0.0, 0.0, None),
        ("saturated", "start", 5.0, 6.0, 5.0),
        ("saturated", "start", -5.0, 6.0, None),
    ],
)
def test_biases_that_leave_no_slope(tmp_path, why, since, low, high, value):
    layer = {"kind": "layer", "operator": "Conv2d", "cell": "0", "units": 16, "hidden": True}
    bent = {"kind": "relu" if why == "dead" else "tanh", "operator": "bent", "cell": "1", "units": 16, "hidden": True}
    run = Run()
    run.facts["probes"] = {
        "units": {"moments": [{"moment": "end", "step": 9, "samples": 64, "entries": [layer, bent]}]}
    }
    bias = {"name": "0.bias", "cell": "0", "kind": "bias", "shape": [16], "initial": {"min": low, "max": high}}
    run.facts["parameters"]["parameters"] = [bias]
    data = run_data(tmp_path, run)
    moments = Moments(data)
    lost = Lost(why, [entry for entry, _ in moments.courses()][1], since, 1.0)
    assert [one.value for one in far_biases(data, moments, [lost])] == ([value] if value is not None else [])


@pytest.mark.parametrize(("units", "narrow"), [(1, ["0"]), (2, ["0"]), (16, [])])
def test_few_units_that_begin_below_zero_by_chance(tmp_path, units, narrow):
    layer = {"kind": "layer", "operator": "Conv2d", "cell": "0", "units": units, "hidden": True}
    bent = {"kind": "relu", "operator": "ReLU", "cell": "1", "units": units, "dead": units, "hidden": True}
    run = Run()
    run.facts["probes"] = {
        "units": {"moments": [{"moment": "end", "step": 9, "samples": 64, "entries": [layer, bent]}]}
    }
    moments = Moments(run_data(tmp_path, run))
    lost = Lost("dead", [entry for entry, _ in moments.courses()][1], "start", 1.0)
    assert [one.cell for one in narrow_before(moments, lost)] == narrow
