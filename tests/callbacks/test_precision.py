"""`PrecisionMonitor` works out several quick steps together: what it tells is what each step alone would have told."""

import contextlib

import mindspore as ms
import pytest

from msprec import LossScaleMonitor, NonFiniteError, PrecisionMonitor
from msprec.callbacks import precision
from msprec.callbacks.training import optimizer_of

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


def _train(kit, monkeypatch, mode, kind, together, *more, **options):
    """``(rows without times, gradient samples, how many steps waited, summary)``"""
    monkeypatch.setattr(precision, "LATEST", 1e9)
    if not together:
        monkeypatch.setattr(PrecisionMonitor, "_can_wait", lambda *_: False)
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


def test_a_summary_in_the_middle_tells_of_all_steps(kit, monkeypatch):
    class Asks(ms.train.Callback):
        def __init__(self, monitor):
            super().__init__()
            self.monitor, self.told = monitor, []

        def on_train_step_end(self, run_context):
            self.told.append(self.monitor.loss_scale.summary()["steps"])

    monkeypatch.setattr(precision, "LATEST", 1e9)
    kit.start("graph")
    monitor = PrecisionMonitor(out="run")
    asks = Asks(monitor)
    kit.model("plain").train(1, kit.data(), callbacks=[monitor, asks])
    assert asks.told == list(range(1, 13))


@pytest.mark.parametrize("policy", ["stop", "raise"])
def test_what_acts_at_once_does_not_wait(kit, monkeypatch, policy):
    monkeypatch.setattr(precision, "LATEST", 1e9)
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
    monkeypatch.setattr(precision, "LATEST", 1e9)
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

    monkeypatch.setattr(precision, "LATEST", 1e9)
    kit.start("graph")
    monitor = PrecisionMonitor(out="run")
    with pytest.raises(KeyError, match="the user's"):
        kit.model("plain").train(1, kit.data(), callbacks=[monitor, Fails()])
    rows = kit.rows(monitor.folder)
    assert [row["step"] for row in rows] == list(range(1, 8))
    assert all(row["seconds"] > 0 for row in rows)


def test_a_slow_step_does_not_wait(kit, monkeypatch):
    monkeypatch.setattr(precision, "LATEST", 0.0)
    kit.start("graph")
    monitor = PrecisionMonitor(out="run")
    waiting = Waiting(monitor)
    kit.model("plain").train(1, kit.data(), callbacks=[monitor, waiting])
    assert max(waiting.seen) == 0
