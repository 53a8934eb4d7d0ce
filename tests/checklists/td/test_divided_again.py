"""td.04: sums of gradients that are divided by more than the batches they are of."""

import pytest
from building import Run, run_data

from msprec.checklists.td.update_gradients import divided_again as module

_LOSS = {"name": "MSELoss", "kind": "mse", "equals": "mean", "settings": {}}


@pytest.mark.parametrize(
    ("factors", "parts", "loss", "gain", "code", "found"),
    [
        ((1 / 128, 1 / 128), 4, _LOSS, 0.4, "", True),
        ((1 / 128, 1 / 128), 4, _LOSS, 0.97, "", False),  # no harm was done
        ((1 / 4, 1 / 4), 4, _LOSS, 0.4, "", False),
        ((1 / 128, 1 / 90), 4, _LOSS, 0.4, "", False),  # clipped
        ((1 / 5, 1 / 5), 4, _LOSS, 0.4, "", False),  # no multiple
        ((1 / 32, 1 / 32), 1, _LOSS, 0.4, "", False),
        ((1 / 32, 1 / 32), 4, {**_LOSS, "equals": "sum"}, 0.4, "", False),  # over the samples as well, rightly
        ((1 / 1024, 1 / 1024), 4, _LOSS, 0.4, "scaler = StaticLossScaler(256)\n", False),
    ],
)
def test_divisors(tmp_path, monkeypatch, factors, parts, loss, gain, code, found):
    monkeypatch.setattr(module, "learning_outcome", lambda _: type("Outcome", (), {"gain": gain}))
    rows = [{"update": 9 * n, "parts": parts, "factor": one, "left": 0.0, "rest": 0.0} for n, one in enumerate(factors)]
    place = {"file": "train.py", "line": 9}
    run = Run(source={"train.py": code})
    gradients = {"optimizer": "SGD", "place": place, "of_others": [], "updates": rows, "loss_divided": False}
    run.facts["probes"] = {"gradients": gradients, "losses": [loss]}
    data = run_data(tmp_path, run)
    told = module.divided_again(data, list(data.probes.gradients.updates), [])
    assert (told is not None) is found
    assert not found or ([one["line"] for one in told.locations], "128" in told.summary.render("en")) == ([9], True)
