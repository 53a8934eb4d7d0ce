"""StepTimeMonitor: waits and steps of known length."""

import time

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import pytest

from msprec import LossScaleMonitor, StepTimeMonitor
from msprec.callbacks.tallies import TimeTally

# long beside what a busy machine adds to a step
WAIT, WORK = 0.25, 0.02


def test_data_and_step_apart(kit):
    kit.start("graph")

    def slowly():
        for i in range(8):
            time.sleep(WAIT)
            yield np.full(4, i, np.float32), np.zeros(1, np.float32)

    class Works(ms.train.Callback):
        """Stands in for the step: between its begin and its end."""

        def on_train_step_begin(self, run_context):
            time.sleep(WORK)

    data = ds.GeneratorDataset(slowly, ["x", "y"], shuffle=False, num_parallel_workers=1).batch(1)
    net = kit.network(False)
    model = ms.train.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.01))
    monitor = StepTimeMonitor("run")
    model.train(2, data, callbacks=[monitor, Works()])
    found = kit.rows(monitor.folder)
    assert len(found) == 16
    assert all(r["seconds"] >= WORK for r in found)
    # what the pipeline prepares while the steps work is no waiting; the compiling first step lets it prepare the most
    waited = sum(r["data_seconds"] for r in found[8:])
    assert waited > 8 * (WAIT - 2 * WORK) * 0.6
    assert max(r["data_seconds"] for r in found) > WAIT * 0.7
    summary = monitor.summary()
    later = found[1:]
    assert summary["steps"] == 16
    assert summary["first_step"] == found[0]["seconds"]
    assert summary["median"] == pytest.approx(np.quantile([r["seconds"] for r in later], 0.5), abs=1e-12)
    assert summary["p95"] == pytest.approx(np.quantile([r["seconds"] for r in later], 0.95), abs=1e-12)
    data_sum, step_sum = (sum(r[k] for r in later) for k in ("data_seconds", "seconds"))
    assert summary["data_share"] == pytest.approx(data_sum / (data_sum + step_sum))


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


def test_tally_by_hand():
    tally = TimeTally()
    tally([{"step": 1, "seconds": 9.0, "data_seconds": 9.0}])
    assert tally.summary() == {
        "steps": 1, "first_step": 9.0, "median": None, "p95": None, "max": None, "data_median": None,
        "data_share": None,
    }  # fmt: skip
    tally([{"step": i, "seconds": float(i), "data_seconds": 1.0} for i in (4, 2, 3, 1)] + [{"step": 9}])
    found = tally.summary()
    assert (found["median"], found["max"], found["data_median"], found["data_share"]) == (2.5, 4.0, 1.0, 4 / 14)
    assert found["p95"] == pytest.approx(3.85)
