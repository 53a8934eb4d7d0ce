"""td.03: weights that start so large that the first outputs lie far from the targets."""

import pytest
from building import Run, run_data

from msprec.checklists.td.units.initial_weights import wide_start
from msprec.checklists.td.units.lost_units import Moments


def _run(start, end, std, loaded=False):
    names = ("0", "2", "4")
    entries = [{"kind": "layer", "operator": "Dense", "cell": name, "units": 64, "hidden": True} for name in names]
    run = Run(steps=[{"step": n, "epoch": 1, "loss": start if n < 10 else end, "lr": 0.1} for n in range(1, 136)])
    run.facts["probes"] = {"units": {"moments": [{"moment": "end", "step": 135, "samples": 64, "entries": entries}]}}
    run.facts["parameters"]["parameters"] = [
        {"name": f"{name}.weight", "cell": name, "kind": "weight", "shape": [64, 64], "initial": {"std": std}}
        for name in names
    ]
    if loaded:
        run.set("weights_loaded", [{"file": "a.ckpt", "load": {"count": 3}}])
    return run


@pytest.mark.parametrize(
    ("start", "end", "std", "loaded", "found"),
    [
        (60.0, 1.5, 1.0, False, 3),
        (60.0, 0.05, 1.0, False, 0),  # it learnt all the same
        (60.0, 1.5, 0.1, False, 0),
        (4.0, 1.5, 1.0, False, 0),
        (60.0, 1.5, 1.0, True, 0),
    ],
)
def test_how_wide_and_how_far_off(tmp_path, start, end, std, loaded, found):
    data = run_data(tmp_path, _run(start, end, std, loaded))
    assert len(wide_start(data, Moments(data))) == found
