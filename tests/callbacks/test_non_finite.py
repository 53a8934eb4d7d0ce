"""NonFiniteMonitor: the exact step, told once; stopping; and rows that outlive a crash."""

import json
import math
import subprocess
import sys
import warnings

import mindspore as ms
import pytest
from mindspore.train import LossMonitor

from msprec import LossScaleMonitor, NonFiniteMonitor

RATES = [1e-3] * 3 + [1e18] * 30  # the fourth update ruins the weights


def test_first_step_is_exact_and_told_once(kit):
    kit.start("graph")
    expected = [loss for loss, *_ in kit.by_hand("plain", 12, rate=RATES)]
    first = next(step for step, loss in enumerate(expected, 1) if not math.isfinite(loss))
    kit.start("graph")
    monitors = [NonFiniteMonitor(out="run"), NonFiniteMonitor(out="run")]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        kit.model("plain", rate=RATES).train(1, kit.data(), callbacks=monitors)
    told = [e for e in kit.events(monitors[0].folder) if e["event"] == "first_nonfinite"]
    assert [(e["step"], e["what"]) for e in told] == [(first, "loss")]
    assert told[0]["value"] == repr(expected[first - 1])
    assert monitors[0].first[0] == monitors[1].first[0] == first
    assert len([w for w in seen if f"at step {first}," in str(w.message)]) == 1
    assert len(kit.rows(monitors[0].folder)) == 12, "without stop the training goes on"


@pytest.mark.versions
@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_stop(kit, mode):
    kit.start(mode)
    monitor = NonFiniteMonitor(stop=True, out="run")
    with pytest.warns(RuntimeWarning, match="the loss is"):
        kit.model("plain", rate=RATES).train(5, kit.data(), callbacks=[monitor])
    found = kit.rows(monitor.folder)
    assert [math.isfinite(r["loss"]) for r in found] == [True] * (len(found) - 1) + [False]
    assert len(found) < 12
    assert [e["event"] for e in kit.events(monitor.folder)] == ["first_nonfinite", "stopped"]


def test_a_healthy_run_tells_nothing(kit):
    kit.start("graph")
    monitor = NonFiniteMonitor(stop=True, out="run")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kit.model("plain").train(1, kit.data(), callbacks=[monitor])
    assert monitor.first is None
    assert kit.events(monitor.folder) == []
    assert len(kit.rows(monitor.folder)) == 12


@pytest.mark.parametrize("order", ["before", "after"])
def test_rows_are_there_when_lossmonitor_raises(kit, order):
    """MindSpore's own monitor raises on NaN, perhaps before ours was told that the step has ended."""
    kit.start("graph")
    monitors = [LossScaleMonitor("run"), NonFiniteMonitor(out="run")]
    callbacks = [*monitors, LossMonitor()] if order == "before" else [LossMonitor(), *monitors]
    with pytest.warns(RuntimeWarning), pytest.raises(ValueError, match="terminating training"):
        kit.model("plain", rate=RATES).train(1, kit.data(), callbacks=callbacks)
    found = kit.rows(monitors[0].folder)
    assert not math.isfinite(found[-1]["loss"])
    assert [r["step"] for r in found] == list(range(1, len(found) + 1))
    run = json.loads((monitors[0].folder / "run.json").read_text())
    assert run["exit"]["kind"] == "exception"
    assert run["exit"]["exception"]["type"] == "ValueError"
    assert run["training_steps"] == len(found) < 12


def test_a_step_that_raises_leaves_the_steps_before_it(kit):
    kit.start("graph")
    monitor = LossScaleMonitor("run")

    class Breaks(ms.train.Callback):
        def on_train_step_begin(self, run_context):
            if run_context.original_args().cur_step_num == 5:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kit.model("plain").train(1, kit.data(), callbacks=[monitor, Breaks()])
    assert [r["step"] for r in kit.rows(monitor.folder)] == [1, 2, 3, 4]
    assert json.loads((monitor.folder / "run.json").read_text())["exit"]["kind"] == "interrupt"


def test_the_warning_is_one_line(tmp_path):
    script = (
        "from msprec.callbacks.tallies import FirstNonFinite\n"
        "FirstNonFinite(lambda *_, **__: None)([{'step': 7, 'loss': float('nan')}])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    told = [line for line in done.stderr.splitlines() if "loss" in line]
    assert told == ["msprec:1: RuntimeWarning: the loss is nan at step 7, the first time in this run"]


KILLED = """
import os, signal, sys, time
import mindspore as ms, numpy as np, mindspore.dataset as ds
from mindspore import nn
from mindspore.train import Model, Callback
from msprec import LossScaleMonitor, NonFiniteMonitor, StepTimeMonitor
class Slow(Callback):
    def on_train_step_end(self, run_context):
        time.sleep(0.1)
        if run_context.original_args().cur_step_num == 30:
            os.kill(os.getpid(), signal.SIGKILL)
ms.set_context(mode=ms.GRAPH_MODE)
net = nn.Dense(4, 1)
x = np.ones((400, 4), np.float32)
data = ds.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(8)
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01))
model.train(1, data, callbacks=[LossScaleMonitor("run"), NonFiniteMonitor(out="run"), StepTimeMonitor("run"), Slow()])
"""


def test_killed_training_leaves_a_readable_run(kit, tmp_path):
    assert subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path).returncode == -9
    found = kit.rows(tmp_path / "run")
    assert 18 <= len(found) <= 30, "at most the last second is lost"
    assert [r["step"] for r in found] == list(range(1, len(found) + 1))
    assert all(r["loss"] is not None and r["seconds"] is not None for r in found)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["exit"] == {"kind": "running"}
