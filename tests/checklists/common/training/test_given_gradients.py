"""How much of the gradients reaches the optimizer, beside a loss scale."""

import pytest
from building import Run, run_data

from msprec.checklists.common.training.given_gradients import given_share

DYNAMIC = {"kind": "dynamic", "initial": 2.0**14, "factor": 2}
FIXED = {"kind": "fixed", "initial": 1024.0, "factor": None}


@pytest.mark.parametrize(
    ("style", "scale", "share", "told"),
    [
        ("jit", DYNAMIC, 2.0**-17, 1.0),  # it grew three times
        ("jit", DYNAMIC, 2.0**-28, 2.0**-28),  # divided out twice
        ("jit", DYNAMIC, 0.7 * 2.0**-17, 0.7 * 2.0**-17),
        ("jit", FIXED, 1 / 1024, 1.0),
        ("jit", FIXED, 1 / 2048, 1 / 2048),
        ("functional", FIXED, 1 / 1024, 1 / 1024),
        ("jit", {"kind": "none"}, 1e-3, 1e-3),
    ],
)
def test_shares(tmp_path, style, scale, share, told):
    run = Run()
    step = {"style": style, "count": 90, "loss_scale": scale, "place": {"file": "train.py", "line": 1}}
    run.facts["train_step"] = {"steps": [step], "scalers": 1, "without_optimizer": []}
    update = {
        "update": 2,
        "parts": 1,
        "factor": share,
        "left": 0.0,
        "rest": 0.0,
        "given_norm": share,
        "computed_norm": 1.0,
    }
    run.facts["probes"] = {"gradients": {"optimizer": "Momentum", "updates": [update]}, "skipped": {}}
    assert given_share(run_data(tmp_path, run)) == pytest.approx(told)
