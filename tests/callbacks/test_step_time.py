"""StepTimeMonitor: waits and steps of known length."""

import time

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import pytest

from msprec import LossScaleMonitor, StepTimeMonitor
from msprec.runtime import memory, tensor_snapshot

# long beside what a busy machine adds to a step
WAIT, WORK = 0.25, 0.02


class Slow(ms.train.Callback):
    """Takes its time at the end of every so many steps."""

    def __init__(self, seconds, every=1):
        super().__init__()
        self.seconds, self.every = seconds, every

    def on_train_step_end(self, run_context):
        if not run_context.original_args().cur_step_num % self.every:
            time.sleep(self.seconds)


@pytest.mark.parametrize("last", [False, True])
def test_data_and_callbacks_apart(kit, last):
    kit.start("graph")

    def slowly():
        for i in range(8):
            time.sleep(WAIT)
            yield np.full(4, i, np.float32), np.zeros(1, np.float32)

    data = ds.GeneratorDataset(slowly, ["x", "y"], shuffle=False, num_parallel_workers=1).batch(1)
    net = kit.network(False)
    model = ms.train.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.01))
    monitor = StepTimeMonitor("run")
    callbacks = [Slow(WORK), monitor] if last else [monitor, Slow(WORK)]
    model.train(4, data, callbacks=callbacks)
    found = kit.rows(monitor.folder)
    assert len(found) == 32
    # what the pipeline prepares while the steps work is no waiting; the compiling first step lets it prepare the most, on a busy
    # machine most of the second pass and none of the last
    waited = sum(r["data_seconds"] for r in found[-8:])
    assert waited > 8 * (WAIT - 2 * WORK) * 0.6
    assert max(r["data_seconds"] for r in found) > WAIT * 0.7
    assert all(r["callback_seconds"] >= WORK for i, r in enumerate(found) if i % 8)
    summary = monitor.summary()
    later = found[1:]
    assert (summary["steps"], summary["first_step"]) == (32, found[0]["seconds"])
    assert summary["median"] == pytest.approx(np.quantile([r["seconds"] for r in later], 0.5), abs=1e-12)
    data_sum, step_sum = (sum(r[k] for r in later) for k in ("data_seconds", "seconds"))
    assert summary["data_share"] == pytest.approx(data_sum / (data_sum + step_sum))
    assert summary["throughput"] == pytest.approx(
        31 / sum(r[k] for r in later for k in ("data_seconds", "seconds", "callback_seconds")), rel=0.2
    )
    assert summary["peak_memory"] > 10**8
    assert summary["peak_device_memory"] is None


def test_a_callback_that_stalls_every_few_steps_is_found(kit):
    kit.start("graph")
    monitor = StepTimeMonitor("run")
    kit.model("plain").train(4, kit.data(), callbacks=[monitor, Slow(0.2, every=8)])
    summary = monitor.summary()
    assert (summary["stall_period"], summary["stall_in"]) == (8, "tail")
    assert 0.1 < summary["stall_seconds"] < 0.4
    assert summary["dominates"] in ("tail", "first_step")


def test_the_manager_is_as_it_was(kit):
    from mindspore.train.callback import _CallbackManager

    before = dict(vars(_CallbackManager))
    kit.start("graph")

    class Fails(ms.train.Callback):
        def on_train_step_end(self, run_context):
            raise ValueError("here")

    kit.model("plain").train(1, kit.data(2), callbacks=[StepTimeMonitor("run"), StepTimeMonitor("run")])
    with pytest.raises(ValueError, match="here"):
        kit.model("plain").train(1, kit.data(2), callbacks=[StepTimeMonitor("run"), Fails(), StepTimeMonitor("run")])
    assert dict(vars(_CallbackManager)) == before


def test_device_memory_as_documented(monkeypatch):
    from mindspore import runtime

    monkeypatch.setattr(tensor_snapshot, "on_cpu", lambda: False)
    monkeypatch.setattr(runtime, "max_memory_allocated", lambda: 1536)
    assert memory.peak_device_memory() == 1536

    def not_there():
        raise RuntimeError("no device")

    monkeypatch.setattr(runtime, "max_memory_allocated", not_there)
    assert memory.peak_device_memory() is None


def test_monitors_do_not_count_their_own_time(kit):
    kit.start("graph")

    class Heavy(LossScaleMonitor):
        def on_train_step_begin(self, run_context):
            super().on_train_step_begin(run_context)
            time.sleep(0.1)

        on_train_step_end = on_train_step_begin

    for order in (lambda m: [Heavy("run"), m], lambda m: [m, Heavy("run")]):
        monitor = StepTimeMonitor("run")
        kit.model("plain").train(1, kit.data(), callbacks=order(monitor))
        summary = monitor.summary()
        assert summary["median"] < 0.08
        assert summary["data_median"] < 0.08


def test_the_epoch_end_is_no_data_wait(kit):
    kit.start("graph")

    class Evaluates(ms.train.Callback):
        def on_train_epoch_end(self, run_context):
            time.sleep(0.3)

    monitor = StepTimeMonitor("run")
    kit.model("plain").train(2, kit.data(), callbacks=[monitor, Evaluates()])
    assert max(r["data_seconds"] for r in kit.rows(monitor.folder)) < 0.25


def test_the_epoch_end_is_tail(kit):
    kit.start("graph")

    class Evaluates(ms.train.Callback):
        def on_train_epoch_end(self, run_context):
            time.sleep(1.0)

    monitor = StepTimeMonitor("run")
    kit.model("plain").train(3, kit.data(), callbacks=[Evaluates(), monitor])
    shares = monitor.summary()["shares"]
    assert shares["tail"] > 2 * (shares["data"] + shares["compute"])
