"""`msprec.log_metric`: what it takes, and where it goes."""

import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import msprec
from msprec import metrics
from msprec.observe.evaluation.evaluation_loops import _with_logged
from msprec.observe.evaluation.logged_metrics import LoggedMetrics
from msprec.record.step_recorder import recorder_for


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((1, 0.5), TypeError),
        (("", 0.5), ValueError),
        (("acc", "high"), TypeError),
        (("acc", None), TypeError),
        (("acc", True), TypeError),
        (("acc", np.zeros(2)), ValueError),
        (("acc", 0.5, 1.0), TypeError),
        (("acc", 0.5, -1), ValueError),
    ],
)
def test_errors(arguments, error) -> None:
    with pytest.raises(error):
        msprec.log_metric(*arguments)


def test_where_nothing_records_nothing_is_imported() -> None:
    code = "import sys, msprec; msprec.log_metric('acc', 1); print([m for m in sys.modules if m in ('numpy', 'mindspore')])"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_beside_monitors_it_is_an_event(tmp_path) -> None:
    recorder = recorder_for(tmp_path)
    recorder.put(3, loss=1.0)
    recorder.end(3)
    msprec.log_metric("val_loss", np.float32(0.5))
    msprec.log_metric("acc", np.array([1]), step=7)
    recorder.close()
    msprec.log_metric("acc", 1)
    events = [json.loads(line) for line in (tmp_path / "rank_0" / "events.jsonl").read_text().splitlines()]
    assert [(e["step"], e["name"], e["value"]) for e in events if e["event"] == "metric"] == [
        (3, "val_loss", 0.5),
        (7, "acc", 1),
    ]


def test_of_an_observed_run() -> None:
    events = []
    observer = SimpleNamespace(
        finished=False,
        datasets=SimpleNamespace(epoch=2),
        steps=SimpleNamespace(updated=8),
        writer=SimpleNamespace(event=lambda kind, step, **fields: events.append((kind, step, fields["name"]))),
        guarded_call=lambda function, *args: function(*args),
    )
    logged = LoggedMetrics(observer)
    logged.install()
    msprec.log_metric("val_loss", 0.5)
    msprec.log_metric("train_loss", 0.25)
    observer.finished = True
    msprec.log_metric("val_loss", 0.125)
    assert metrics._takers == []
    assert [(one["step"], one["metrics"]) for one in logged.found] == [(8, {"val_loss": 0.5})]
    assert events == [("metric", 8, "val_loss"), ("metric", 8, "train_loss")]


def test_it_stands_in_the_place_of_the_same_value() -> None:
    logged = [{"step": 4, "metrics": {"val_acc": 0.5}, "dataset": None}]
    found = [
        {"step": 4, "metrics": {"evaluate": 0.5}, "dataset": 1},
        {"step": 4, "metrics": {"loss": 0.75}, "dataset": 1},
        {"step": 8, "metrics": {"evaluate": 0.5}, "dataset": 1},
    ]
    assert [(one["step"], one["metrics"], one["dataset"]) for one in _with_logged(found, logged)] == [
        (4, {"val_acc": 0.5}, 1),
        (4, {"loss": 0.75}, 1),
        (8, {"evaluate": 0.5}, 1),
    ]


SCRIPT = """
import mindspore as ms
import msprec
import numpy as np
from mindspore import nn

ms.set_seed(3)
draw = np.random.RandomState(0)
x, y = draw.randn(32, 5).astype(np.float32), draw.randn(32, 1).astype(np.float32)
net = nn.Dense(5, 1)
opt = nn.SGD(net.trainable_params(), 0.05)
grad_fn = ms.value_and_grad(lambda a, b: nn.MSELoss()(net(a), b), None, opt.parameters)
for epoch in range(5):
    for start in range(0, 32, 8):
        loss, grads = grad_fn(ms.Tensor(x[start : start + 8]), ms.Tensor(y[start : start + 8]))
        opt(grads)
    msprec.log_metric("val_loss", loss)
    msprec.log_metric("train_loss", loss)
print(float(loss.asnumpy()).hex())
"""


def test_under_msprec_run(scripts) -> None:
    scripts.write(SCRIPT)
    bare, observed = scripts.bare(), scripts.observed()
    assert bare.status == observed.status == 0, observed.err
    assert observed.out == bare.out
    scripts.no_own_errors()
    found = scripts.json("facts/evaluation.json")["evaluations"]
    assert [(one["step"], list(one["metrics"]), one["via"]) for one in found] == [
        (step, ["val_loss"], "log_metric") for step in (4, 8, 12, 16, 20)
    ]
    assert found[0]["place"]["line"] == 17
    assert next(one for one in scripts.json("checklist.json")["items"] if one["id"] == "hp.02")["evidence"]
