"""NonFiniteMonitor: the exact step, told once; stopping; and rows that outlive a crash."""

import json
import math
import random
import subprocess
import sys
import time
import warnings

import mindspore as ms
import numpy as np
import pytest
from mindspore.train import LossMonitor

from msprec import LossScaleMonitor, NonFiniteError, NonFiniteMonitor
from msprec.callbacks.step_counters import FirstBadGradient
from msprec.callbacks.step_snapshots import BadStep, KeptStep, StepKeeper, save_step
from msprec.locate.saved_step import Capsule, save_capsule
from msprec.runtime.rng_state import random_state

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
    assert (told[0]["step"], told[0]["what"]) == (first, "loss")
    assert {e["what"] for e in told[1:]} == {"parameter"}
    assert told[0]["value"] == repr(expected[first - 1])
    assert monitors[0].first[0] == monitors[1].first[0] == first
    assert len([w for w in seen if f"at step {first}," in str(w.message)]) == 1
    assert len(kit.rows(monitors[0].folder)) == 12, "without stop the training goes on"


@pytest.mark.versions
@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_stop(kit, mode):
    kit.start(mode)
    monitor = NonFiniteMonitor("stop", out="run")
    with pytest.warns(RuntimeWarning, match="the loss is"):
        kit.model("plain", rate=RATES).train(5, kit.data(), callbacks=[monitor])
    found = kit.rows(monitor.folder)
    assert [math.isfinite(r["loss"]) for r in found] == [True] * (len(found) - 1) + [False]
    assert len(found) < 12
    told = [(e["event"], e.get("what")) for e in kit.events(monitor.folder)]
    assert told == [("first_nonfinite", "loss"), ("first_nonfinite", "parameter"), ("stopped", None)]


def test_a_healthy_run_tells_nothing(kit):
    kit.start("graph")
    monitor = NonFiniteMonitor("stop", out="run")
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
        "from msprec.callbacks.step_counters import FirstNonFinite\n"
        "FirstNonFinite(lambda *_, **__: None)([{'step': 7, 'loss': float('nan')}])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    told = [line for line in done.stderr.splitlines() if "loss" in line]
    assert told == ["msprec:1: RuntimeWarning: the loss is nan at step 7, the first time in this run"]


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_policy_raise(kit, mode):
    kit.start(mode)
    monitor = NonFiniteMonitor("raise", out="run")
    with pytest.warns(RuntimeWarning), pytest.raises(NonFiniteError, match="the loss is"):
        kit.model("plain", rate=RATES).train(5, kit.data(), callbacks=[monitor])
    found = kit.rows(monitor.folder)
    assert not math.isfinite(found[-1]["loss"])
    assert monitor.first[0] == found[-1]["step"] == len(found)


def test_policy_record_is_silent(kit):
    kit.start("graph")
    monitor = NonFiniteMonitor("record", out="run")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kit.model("plain", rate=RATES).train(1, kit.data(), callbacks=[monitor])
    assert monitor.first is not None
    assert len(kit.rows(monitor.folder)) == 12


def test_unknown_policy():
    with pytest.raises(ValueError, match="policy is one of record, warn, stop, raise"):
        NonFiniteMonitor("explode")


@pytest.mark.parametrize(
    ("mode", "policy", "draws"),
    [("graph", "warn", False), ("graph", "stop", False), ("pynative", "warn", True), ("pynative", "stop", False)],
)
def test_the_bad_step_is_kept_as_it_began(kit, mode, policy, draws):
    """Batch and random state are those of the bad step itself, however late the loss is read."""
    kit.start(mode)
    states = {}

    class Draws(ms.train.Callback):
        def on_train_step_begin(self, run_context):
            states[run_context.original_args().cur_step_num] = np.random.get_state()[1].copy(), random.getstate()
            np.random.rand(3), random.random()

    monitor = NonFiniteMonitor(policy, out="run")
    model = kit.model("plain", rate=RATES)
    if draws:
        net = kit.network(False)
        model = ms.train.Model(kit.Drawing(net), ms.nn.MSELoss(), ms.nn.Momentum(net.trainable_params(), RATES, 0.9))
    with pytest.warns(RuntimeWarning):
        model.train(1, kit.data(), callbacks=[monitor, Draws()])
    step = monitor.first[0]
    x, y = kit.arrays()
    folder = monitor.folder / "rank_0" / "nonfinite"
    batch = np.load(folder / "batch.npz", allow_pickle=False)
    rows = slice((step - 1) * 8, step * 8)
    assert np.array_equal(batch["input_0"], x[rows]) and np.array_equal(batch["input_1"], y[rows])
    state = json.loads((folder / "state.json").read_text())
    assert state["step"] == step
    if not draws:  # nor does what is compiled
        assert state["random_state"]["numpy"] is state["random_state"]["python"] is None
    else:
        assert state["random_state"]["numpy"][1] == states[step][0].tolist()
        assert tuple(state["random_state"]["python"][1]) == states[step][1][1]


def test_bad_parameters_are_named(kit):
    kit.start("graph")
    monitor = NonFiniteMonitor(out="run")
    with pytest.warns(RuntimeWarning):
        model = kit.model("plain", rate=RATES)
        model.train(1, kit.data(), callbacks=[monitor])
    bad = [p.name for p in model.train_network.network.get_parameters() if not np.isfinite(p.asnumpy()).all()]
    assert monitor.bad_parameters == bad != []


def test_a_bad_moving_mean_shows_though_the_loss_is_finite(kit):
    kit.start("pynative")
    model = kit.model("plain")
    statistic = ms.Parameter(ms.Tensor([np.nan], ms.float32), name="moving_mean", requires_grad=False)
    model.train_network.network.statistic = statistic
    monitor = NonFiniteMonitor(out="run")
    for _ in range(2):
        model.train(1, kit.data(), callbacks=[monitor, Waits()])
    assert monitor.first is None
    assert monitor.bad_parameters == ["moving_mean"]
    assert [e["what"] for e in kit.events(monitor.folder)] == ["parameter"]


class Waits(ms.train.Callback):
    """Makes the training long enough for a look at the parameters."""

    def on_train_begin(self, run_context):
        time.sleep(0.3)


def test_gradients_that_no_scale_can_have_spoilt():
    told = []
    listener = FirstBadGradient(lambda *args, **fields: told.append((args, fields)), warn=False)
    listener([{"step": 1, "overflow": True, "scale": 1024.0}, {"step": 2, "overflow": False, "scale": 1.0}])
    assert told == [] and listener.step is None
    listener([{"step": 3, "overflow": True, "scale": 1.0}, {"step": 4, "overflow": True, "scale": 1.0}])
    assert told == [(("first_nonfinite", 3), {"what": "gradient", "scale": 1.0})]


def test_a_batch_that_no_file_can_hold_is_left_out(tmp_path):
    batch = {"x": ms.Tensor([1.0, 2.0]), "name": "a text", "half": ms.Tensor([1.5], ms.bfloat16)}
    facts = save_step(tmp_path / "kept", KeptStep(3, batch, random_state()))
    assert facts["left_out"] == ["name"]
    loaded = np.load(tmp_path / "kept" / "batch.npz", allow_pickle=False)
    assert loaded["x"].tolist() == [1.0, 2.0] and loaded["half"].tolist() == [1.5]


def test_losses_are_looked_at_one_step_late():
    keeper = StepKeeper(every=2)
    told = [keeper.end(step, loss) for step, loss in enumerate([1.0, math.inf, 2.0, 3.0], 1)]
    assert told == [None, None, BadStep(2, "loss", math.inf), None]
    assert keeper.end(5, math.nan, at_once=True).step == 5
    assert keeper.rest() is None
    assert keeper.loss_of(4) == 3.0


def test_kept_steps_are_bounded_by_their_bytes():
    """Steps of 400 bytes where 1300 are held: three of them, looked at soon enough for the bad one to be there still."""
    keeper = StepKeeper(every=8, most_bytes=1300)
    for step in range(1, 6):
        keeper.begin(step, (np.zeros(50, np.float32),), weights={1: np.zeros(50, np.float32)})
    assert [step for step in range(1, 6) if keeper.kept(step) is not None] == [3, 4, 5]
    assert keeper.had_no_room(2) and not keeper.had_no_room(5)
    assert "not kept" in keeper.why_not_kept(2) and "no longer kept" in keeper.why_not_kept(9)
    soon = StepKeeper(every=8, most_bytes=1300)
    for step, loss in enumerate((1.0, 2.0, math.nan, 4.0, 5.0), 1):
        soon.begin(step, (np.zeros(50, np.float32),), weights={1: np.zeros(50, np.float32)})
        found = soon.end(step, loss)
        if found is not None:
            break
    assert found.step == 3 and soon.kept(3) is not None and not soon.had_no_room(3)
    roomy = StepKeeper(every=8)
    for step in range(1, 6):
        roomy.begin(step, {"x": ms.Tensor(np.zeros(50, np.float32))})
    assert all(roomy.kept(step) is not None for step in range(1, 6))


def test_too_many_weights_are_not_written(tmp_path, monkeypatch):
    """The record says what is missing."""
    weight = ms.Parameter(ms.Tensor(np.zeros(200, np.float32)), name="w")
    kept = KeptStep(3, (np.zeros(50, np.float32),), random_state(), None, {id(weight): weight.asnumpy()})
    for limit, written in ((1 << 20, True), (700, False)):
        monkeypatch.setattr("msprec.locate.saved_step.LARGEST_WEIGHTS", limit)
        save_capsule(tmp_path / str(limit), kept, [weight], None, {})
        assert (tmp_path / str(limit) / "weights.npz").is_file() is written
        assert Capsule(tmp_path / str(limit)).state.get("not_written") == (
            None if written else {"weights": 800, "most_bytes": 700}
        )


def test_overflows_that_are_worth_a_look():
    def told(keeper, overflows, scale):
        return [keeper.end(step, 1.0, flag, scale, at_once=True) for step, flag in enumerate(overflows, 1)]

    searching = told(StepKeeper(2), [True, True, False, True, True, True, True], 1024.0)
    assert searching == [None] * 5 + [BadStep(6, "streak", 1024.0), None], "the third in a row, once a streak"
    assert told(StepKeeper(2), [False, True], 1.0) == [None, BadStep(2, "gradient", 1.0)]
    assert told(StepKeeper(2, dynamic=False), [True], 1024.0) == [BadStep(1, "gradient", 1024.0)]


@pytest.mark.versions
@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_locate(kit, mode):
    """The gradient of the fourth step is infinite; which the loss of the fifth tells."""
    kit.start(mode)
    monitor = NonFiniteMonitor(out="run", locate=True)
    with pytest.warns(RuntimeWarning):
        kit.model("plain", rate=RATES).train(1, kit.data(), callbacks=[monitor])
    told = [e for e in kit.events(monitor.folder) if e["event"] == "located"]
    assert len(told) >= 1
    assert (told[0]["phase"], told[0]["step"]) in {("forward", monitor.first[0]), ("update", monitor.first[0] - 1)}
    assert told[0]["exact"] is not False
    assert (monitor.folder / "rank_0" / "nonfinite" / "weights.npz").is_file()


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
