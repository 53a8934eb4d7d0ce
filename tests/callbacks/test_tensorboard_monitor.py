"""TensorBoard events beside the monitors, and beside MindSpore's own summaries."""

import sys

import mindspore as ms
import pytest
from mindspore import nn
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader

import msprec
from msprec.callbacks import precision


def scalars(folder) -> dict:
    events = EventAccumulator(str(folder))
    events.Reload()
    return {tag: [(e.step, e.value) for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def test_the_rows_of_the_run_whichever_trains(kit, monkeypatch):
    monkeypatch.setattr(precision, "FIRST_SAMPLE", 0.0)
    kit.start("graph")
    monitor = msprec.PrecisionMonitor("record", "run", tensorboard=True)
    trained = kit.model("own")
    for _ in range(2):  # one file for both
        trained.train(1, kit.data(), callbacks=[monitor])
    monitor.loss_scale.recorder.close()
    rows, found = kit.rows(monitor.folder), scalars(monitor.folder / "rank_0" / "tensorboard")
    for tag, column in (("loss_scale/scale", "scale"), ("learning_rate", "lr"), ("time/compute_seconds", "seconds")):
        assert found[tag] == [(int(r["step"]), pytest.approx(r[column], rel=1e-6)) for r in rows]
    assert len(found["gradient_norm"]) == monitor.summary()["gradients"]["samples"]


def test_watch(kit):
    kit.start("pynative")
    with msprec.watch(out="run", tensorboard="events") as monitor:
        for step in range(3):
            monitor.step(1.0 / (step + 1))
    monitor.recorder.close()
    assert scalars("events")["loss"] == [(s, pytest.approx(1 / s)) for s in (1, 2, 3)]


def test_asked_for_and_not_installed(kit, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    for make in (msprec.PrecisionMonitor, msprec.watch):
        with pytest.raises(ImportError, match="msprec\\[tensorboard\\]"):
            make(tensorboard=True)


class Summaries(ms.train.Callback):
    """A user's own `SummaryRecord`."""

    def __init__(self, folder):
        super().__init__()
        self.record = ms.train.SummaryRecord(str(folder))

    def on_train_step_end(self, run_context):
        parameters = run_context.original_args()
        self.record.add_value("scalar", "loss", parameters.net_outputs)
        self.record.record(parameters.cur_step_num)

    def on_train_end(self, run_context):
        self.record.close()


def test_mindspores_own_summaries_are_the_same_with_and_without(kit, tmp_path):
    def summaries(name, monitors):
        kit.start("graph")
        kit.model("plain").train(1, kit.data(), callbacks=[*monitors, Summaries(tmp_path / name)])
        (file,) = (tmp_path / name).iterdir()
        events = LegacyEventFileLoader(str(file)).Load()
        return [(event.step, event.summary.SerializeToString()) for event in events]

    bare = summaries("bare", [])
    assert len({value for _, value in bare}) > kit.BATCHES
    assert summaries("watched", [msprec.PrecisionMonitor(out="run", tensorboard=True)]) == bare


def test_the_trainings_numbers_stay(kit):
    def trained(monitors):
        kit.start("pynative")
        model = kit.model("plain")
        model.train(1, kit.data(), callbacks=monitors)
        return [p.asnumpy().tobytes() for p in model.train_network.get_parameters()], kit.state()

    assert trained([]) == trained([msprec.PrecisionMonitor(out="run", tensorboard=True)])
    assert nn.Cell.__call__.__module__.startswith("mindspore")
