"""Gradients that get smaller through sigmoids (td.02)."""

from types import SimpleNamespace

import numpy as np
import pytest
from building import Run, run_data

from msprec.checklists.td.gradient_flow import check as judged
from msprec.checklists.td.gradient_flow.depth import Depth
from msprec.checklists.td.gradient_flow.layers import Sampled

NEVER, SOME = -0.004, 0.3


@pytest.mark.parametrize(
    ("sigmoids", "ratio", "gain", "told", "conclusion"),
    [
        (3, 0.006, NEVER, True, "problem"),
        (2, 0.006, NEVER, True, "undecided"),
        (3, 0.02, NEVER, True, "ok"),
        (3, 0.006, SOME, True, "undecided"),
        (3, 0.006, NEVER, False, "undecided"),  # the targets may not follow from the inputs at all
    ],
)
def test_three_sigmoids_before_targets_that_neighbours_tell(
    tmp_path, monkeypatch, sigmoids, ratio, gain, told, conclusion
):
    outcome = SimpleNamespace(state="hardly", sure=True, outcome=SimpleNamespace(gain=gain), score=None)
    monkeypatch.setattr(judged, "assess", lambda _: outcome)
    monkeypatch.setattr(judged, "behind_simple_predictor", lambda *_: SimpleNamespace(share=0.94) if told else None)
    entries = [
        {"kind": "sigmoid", "operator": "Sigmoid", "hidden": True, "place": {"file": "train.py", "line": line}}
        for line in range(30, 30 + sigmoids)
    ]
    run = Run()
    moment = {"moment": "end", "step": 30, "batches": 1, "samples": 64, "entries": entries}
    run.facts["probes"] = {"skipped": {}, "units": {"moments": [moment]}}
    course = Depth(ratio, 1.0, ratio, ratio, (1e-4, 1e-2), [])
    found = judged._judged(run_data(tmp_path, run), Sampled(np.array([1, 9]), []), course, [])
    assert found.conclusion == conclusion
    assert conclusion != "problem" or [at["line"] for at in found.locations] == [30, 31, 32]
