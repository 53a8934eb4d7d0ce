"""td.03: units of a ReLU that give zero for all samples, beside what the training came to."""

import pytest
from building import Run, run_data

from msprec.checklists.td.units.lost_units import Moments


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
