"""`PrecisionMonitor` works out several quick steps together: what it tells is what each step alone would have told."""

import contextlib
import json
import random
import time
from functools import partial

import mindspore as ms
import numpy as np
import pytest

from msprec import LossScaleMonitor, NonFiniteError, NonFiniteMonitor, PrecisionMonitor
from msprec.callbacks import precision, spike_batches
from msprec.callbacks.precision import JoinedMonitors
from msprec.callbacks.step_snapshots import StepKeeper
from msprec.callbacks.train_context import Training, optimizer_of
from msprec.locate import online
from msprec.record import step_recorder
from msprec.runtime.rng_state import SELDOM

_TIMES = ("seconds", "data_seconds", "callback_seconds")


class Decaying(ms.train.Callback):
    """A user's own schedule: another rate at each step."""

    def on_train_step_end(self, run_context):
        parameters = run_context.original_args()
        rate = optimizer_of(parameters).learning_rate
        ms.ops.assign(rate, ms.Tensor(0.01 / (1 + parameters.cur_step_num), ms.float32))


class Waiting(ms.train.Callback):
    """How many steps wait after each step."""

    def __init__(self, monitor):
        super().__init__()
        self.monitor, self.seen = monitor, []

    def on_train_step_end(self, run_context):
        self.seen.append(len(self.monitor._steps))


def _wait_for_ever(monkeypatch):
    monkeypatch.setattr(step_recorder, "FLUSH_SECONDS", 1e9)


def _train(kit, monkeypatch, mode, kind, together, *more, **options):
    """``(rows without times, gradient samples, how many steps waited, summary)``"""
    _wait_for_ever(monkeypatch)
    monkeypatch.setattr(precision, "TOGETHER", 8)
    if not together:
        monkeypatch.setattr(PrecisionMonitor, "_quiet_steps", lambda *_: 0)
    kit.start(mode)
    monitor = PrecisionMonitor(out=f"run_{together}", **options)
    monitor.gradients._settings = (0.0, 13, None)
    waiting, trained = Waiting(monitor), kit.model(kind)
    trained.train(2, kit.data(), callbacks=[monitor, waiting, *more])
    rows = [{k: v for k, v in row.items() if k not in _TIMES} for row in kit.rows(monitor.folder)]
    summary = monitor.summary()
    return rows, summary["gradients"], waiting.seen, {**summary["loss_scale"], "first": summary["first_nonfinite"]}


@pytest.mark.versions
@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("kind", ["plain", "own", "shuffled", "host", "fixed_keep", "accumulating"])
def test_rows_are_those_of_steps_worked_out_one_by_one(kit, monkeypatch, mode, kind):
    more = [Decaying()] if kind != "host" else []
    together = _train(kit, monkeypatch, mode, kind, True, *more)
    alone = _train(kit, monkeypatch, mode, kind, False, *more)
    assert repr(alone[0]) == repr(together[0]) and len(alone[0]) == 24  # NaN is NaN
    assert repr(alone[1]) == repr(together[1]) and (alone[1]["samples"] == 1 or kind != "plain")
    assert repr(alone[3]) == repr(together[3])
    assert max(alone[2]) == 0
    parameter_among_outputs = mode == "pynative" and kind in ("own", "shuffled", "accumulating")
    # the scale that the host sets, and a Parameter, have to be read before the next step
    assert max(together[2]) == (0 if kind == "host" or parameter_among_outputs else precision.TOGETHER - 1)


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_most_steps_begin_with_nothing_read(kit, monkeypatch, mode):
    begun, original = [], Training.begin_step
    monkeypatch.setattr(Training, "begin_step", lambda self: begun.append(self.step()) or original(self))
    kit.start(mode)
    monitor = PrecisionMonitor(out="run")
    monitor.gradients._settings = (0.0, None, None)  # but for the first, no samples
    kit.model("plain").train(10, kit.data(), callbacks=[monitor])
    assert begun == [1, 2, SELDOM + 1]
    assert [row["step"] for row in kit.rows(monitor.folder)] == list(range(1, 121))


class Draws(ms.train.Callback):
    """Draws before each step, as the code of the step may, and knows the states that the steps began with."""

    def __init__(self):
        super().__init__()
        self.states = {}

    def on_train_step_begin(self, run_context):
        step = run_context.original_args().cur_step_num
        self.states[step] = np.random.get_state()[1].copy(), random.getstate(), ms.get_rng_state().asnumpy().copy()
        np.random.rand(3), random.random()
        ms.manual_seed(step)  # no random operator of a CPU draws from this generator


def _saved(monitor) -> tuple:
    folder = monitor.folder / "rank_0" / "nonfinite"
    return np.load(folder / "batch.npz", allow_pickle=False), json.loads((folder / "state.json").read_text())


def _batch_of(kit, step) -> np.ndarray:
    at = (step - 1) % kit.BATCHES * kit.BATCH
    return kit.arrays()[0][at : at + kit.BATCH]


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("draws", [False, True])
@pytest.mark.parametrize("ruined", [21, 33])
def test_a_bad_step_among_those_that_wait_is_kept_as_it_began(kit, monkeypatch, mode, draws, ruined):
    _wait_for_ever(monkeypatch)
    kit.start(mode)
    rates = [1e-3] * (ruined - 1) + [1e18] * 30
    net = kit.Drawing(kit.network(False)) if draws else kit.network(False)
    model = ms.train.Model(net, ms.nn.MSELoss(), ms.nn.Momentum(net.trainable_params(), rates, 0.9))
    monitor, drawing = PrecisionMonitor(out="run"), Draws()
    monitor.gradients._settings = (0.0, None, None)
    waiting = Waiting(monitor)
    with pytest.warns(RuntimeWarning):
        model.train(4, kit.data(), callbacks=[monitor, waiting, *([drawing] if draws else [])])
    step = monitor.non_finite.first[0]
    assert ruined < step <= ruined + 3 and max(waiting.seen) == 12
    batch, state = _saved(monitor)
    assert state["step"] == step and np.array_equal(batch["input_0"], _batch_of(kit, step))
    if draws:
        of_numpy, of_python, of_mindspore = drawing.states[step]
        assert state["random_state"]["mindspore"] == of_mindspore.tolist()
        if mode == "pynative":
            assert state["random_state"]["numpy"][1] == of_numpy.tolist()
            assert tuple(state["random_state"]["python"][1]) == of_python[1]
    rows = kit.rows(monitor.folder)
    assert [row["lr"] for row in rows[: ruined + 2]] == pytest.approx(rates[: ruined + 2])


def _locating(kit, monkeypatch, share: float = 1e-9) -> JoinedMonitors:
    """The monitors as `msprec run` puts them in, in a training without samples of gradients."""
    _wait_for_ever(monkeypatch)
    monkeypatch.setattr(online, "GRACE", 0.0)
    monkeypatch.setattr(online, "SHARE", share)
    members = PrecisionMonitor(out="run").members
    monitor = JoinedMonitors([NonFiniteMonitor(out="run", locate=True), *members[2:]])
    monitor.members[1]._settings = (0.0, None, None)
    return monitor


def _located(kit, monitor) -> list:
    return [event for event in kit.events(monitor.members[0].folder) if event["event"] == "located"]


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_steps_wait_where_bad_ones_are_located(kit, monkeypatch, mode):
    kit.start(mode)
    monitor = _locating(kit, monkeypatch)
    waiting = Waiting(monitor)
    rates = [1e-3] * 32 + [1e18] * 30
    with pytest.warns(RuntimeWarning):
        kit.model("plain", rate=rates).train(4, kit.data(), callbacks=[monitor, waiting])
    step = monitor.members[0].first[0]
    assert 33 < step <= 36 and max(waiting.seen) == 12
    assert _saved_step(monitor) == _located(kit, monitor)[0]["step"] == step


def test_a_step_whose_weights_are_copied_does_not_wait(kit, monkeypatch):
    kit.start("graph")
    monitor = _locating(kit, monkeypatch, share=1.0)
    waiting = Waiting(monitor)
    kit.model("plain").train(2, kit.data(), callbacks=[monitor, waiting])
    assert max(waiting.seen) == 0


def test_a_step_of_a_loss_scale_does_not_wait_where_it_is_located(kit, monkeypatch):
    kit.start("graph")
    monitor = _locating(kit, monkeypatch)
    waiting = Waiting(monitor)
    kit.model("own").train(2, kit.data(), callbacks=[monitor, waiting])
    assert max(waiting.seen) == 0


@pytest.mark.parametrize("waits", [True, False])
def test_a_step_that_an_error_ended_is_kept(kit, monkeypatch, waits):
    """The error is raised inside the network, in a step that began with nothing read, or not."""

    class Breaks(ms.nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net, self.calls = net, 0

        def construct(self, x):
            self.calls += 1
            if self.calls == 22:
                raise KeyError("the user's")
            return self.net(x)

    kit.start("pynative")
    monitor = _locating(kit, monkeypatch)
    if not waits:
        monkeypatch.setattr(JoinedMonitors, "_quiet_steps", lambda *_: 0)
    waiting, net = Waiting(monitor), Breaks(kit.network(False))
    model = ms.train.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 1e-3))
    with pytest.raises(KeyError, match="the user's"):
        model.train(3, kit.data(), callbacks=[monitor, waiting])
    assert (max(waiting.seen) > 0) is waits
    step = len(waiting.seen) + 1
    assert [row["step"] for row in kit.rows(monitor.members[0].folder)] == list(range(1, step))
    (event,) = _located(kit, monitor)
    assert event["because"] == "crash" and event["step"] == step == _saved_step(monitor)
    batch = np.load(monitor.members[0].folder / "rank_0" / "nonfinite" / "batch.npz", allow_pickle=False)
    assert np.array_equal(batch["input_0"], _batch_of(kit, step))


def _saved_step(monitor) -> int:
    return json.loads((monitor.members[0].folder / "rank_0" / "nonfinite" / "state.json").read_text())["step"]


def test_few_large_batches_wait(kit, monkeypatch):
    """No more bytes of batches are held than the monitor says."""
    _wait_for_ever(monkeypatch)
    size = kit.BATCH * 5 * 4
    monkeypatch.setattr(spike_batches, "StepKeeper", partial(StepKeeper, most_bytes=14 * size))
    kit.start("graph")
    monitor = PrecisionMonitor(out="run")
    waiting = Waiting(monitor)
    kit.model("plain").train(3, kit.data(), callbacks=[monitor, waiting])
    # ten are with the keeper
    assert 2 <= max(waiting.seen) <= 4
    monkeypatch.setattr(spike_batches, "StepKeeper", partial(StepKeeper, most_bytes=10 * size))
    monitor = PrecisionMonitor(out="run2")
    waiting = Waiting(monitor)
    kit.model("plain").train(3, kit.data(), callbacks=[monitor, waiting])
    assert max(waiting.seen) == 0


def test_a_summary_in_the_middle_tells_of_all_steps(kit, monkeypatch):
    class Asks(ms.train.Callback):
        def __init__(self, monitor):
            super().__init__()
            self.monitor, self.told = monitor, []

        def on_train_step_end(self, run_context):
            self.told.append(self.monitor.loss_scale.summary()["steps"])

    _wait_for_ever(monkeypatch)
    kit.start("graph")
    monitor = PrecisionMonitor(out="run")
    asks = Asks(monitor)
    kit.model("plain").train(1, kit.data(), callbacks=[monitor, asks])
    assert asks.told == list(range(1, 13))


@pytest.mark.parametrize("policy", ["stop", "raise"])
def test_what_acts_at_once_does_not_wait(kit, monkeypatch, policy):
    _wait_for_ever(monkeypatch)
    kit.start("graph")
    monitor = PrecisionMonitor(policy, out="run")
    waiting, trained = Waiting(monitor), kit.model("plain")
    for parameter in trained.train_network.trainable_params():
        parameter.set_data(ms.Tensor(parameter.asnumpy() * 1e30))
    context = pytest.raises(NonFiniteError) if policy == "raise" else contextlib.nullcontext()
    with pytest.warns(RuntimeWarning), context:
        trained.train(1, kit.data(), callbacks=[monitor, waiting])
    assert monitor.summary()["first_nonfinite"][0] == len(kit.rows(monitor.folder))
    assert max(waiting.seen, default=0) == 0


def test_it_does_not_wait_beside_another_monitor(kit, monkeypatch):
    _wait_for_ever(monkeypatch)
    kit.start("graph")
    monitor = PrecisionMonitor(out="run")
    waiting = Waiting(monitor)
    kit.model("plain").train(1, kit.data(), callbacks=[LossScaleMonitor("run"), monitor, waiting])
    assert max(waiting.seen) == 0 and len(kit.rows(monitor.folder)) == 12


def test_an_error_in_another_callback_loses_no_step(kit, monkeypatch):
    class Fails(ms.train.Callback):
        def on_train_step_end(self, run_context):
            if run_context.original_args().cur_step_num == 7:
                raise KeyError("the user's")

    _wait_for_ever(monkeypatch)
    kit.start("graph")
    monitor = PrecisionMonitor(out="run")
    with pytest.raises(KeyError, match="the user's"):
        kit.model("plain").train(1, kit.data(), callbacks=[monitor, Fails()])
    rows = kit.rows(monitor.folder)
    assert [row["step"] for row in rows] == list(range(1, 8))
    assert all(row["seconds"] > 0 for row in rows)


@pytest.mark.parametrize("seconds", [0.016, 0.3])
def test_no_row_waits_for_more_than_a_second(kit, seconds):
    """Whatever the steps take."""

    class Ages(ms.train.Callback):
        def __init__(self, monitor):
            super().__init__()
            self.monitor, self.ends, self.ages = monitor, {}, []

        def on_train_step_end(self, run_context):
            now, recorder = time.monotonic(), self.monitor.loss_scale.recorder
            self.ends[run_context.original_args().cur_step_num] = now
            self.ages.append(now - self.ends.get(recorder._written_to + 1, now))
            time.sleep(seconds)

    kit.start("graph")
    monitor = PrecisionMonitor(out="run")
    ages = Ages(monitor)
    rounds = max(1, round(3 / seconds / kit.BATCHES))
    x, y = kit.arrays()
    data = ms.dataset.NumpySlicesDataset({"x": x, "y": y}, shuffle=False).batch(kit.BATCH).repeat(rounds)
    kit.model("plain").train(1, data, callbacks=[monitor, ages])
    ends = list(ages.ends.values())
    longest = max(b - a for a, b in zip(ends, ends[1:]))
    assert max(ages.ages) < step_recorder.FLUSH_SECONDS + longest


def test_a_slow_step_does_not_wait(kit, monkeypatch):
    monkeypatch.setattr(step_recorder, "FLUSH_SECONDS", 0.0)
    kit.start("graph")
    monitor = PrecisionMonitor(out="run")
    waiting = Waiting(monitor)
    kit.model("plain").train(1, kit.data(), callbacks=[monitor, waiting])
    assert max(waiting.seen) == 0
