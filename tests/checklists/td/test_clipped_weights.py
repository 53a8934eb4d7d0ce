"""td.04: weights that are clipped after each update."""

import types

import pytest
from building import Run, parameter, run_data

from msprec.checklists.td.update_gradients import clipped_weights as module

_CODE = "for x in data:\n    step(x)\n    for w in params:\n        w.set_data({written})\n"


@pytest.mark.parametrize(
    ("written", "ends", "gain", "more", "found"),
    [
        ("ops.clamp(w, -0.04, 0.04)", [(-0.04, 0.04), (-0.04, 0.04)], 0.1, "", True),
        ("ops.clamp(w, -0.04, 0.04)", [(-0.03, 0.02), (-0.01, 0.02)], 0.1, "", False),  # never at an end
        ("ops.clamp(w, -0.04, 0.04)", [(-0.04, 0.04), (-0.04, 0.04)], 0.9, "", False),
        ("ops.clamp(w, -0.04, 0.04)", [(-0.04, 0.04), (-0.04, 0.04)], 0.1, "discriminator = critic\n", False),
        ("w * 0.99", [(-0.04, 0.04), (-0.04, 0.04)], 0.1, "", False),
    ],
)
def test_weights(tmp_path, monkeypatch, written, ends, gain, more, found):
    monkeypatch.setattr(module, "learning_outcome", lambda _: types.SimpleNamespace(gain=gain))
    weights = [parameter(f"fc{n}.weight", [4, 4]) for n in range(len(ends))]
    for one, (low, high) in zip(weights, ends):
        one["final"] = {**one["initial"], "min": low, "max": high}
    run = Run(source={"train.py": _CODE.format(written=written) + more})
    run.facts["parameters"] = {"parameters": weights}
    told = module.clipped_weights(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == ([4] if found else None)
