"""The monitors' scalars in a SummaryRecord of the user's, and the user's own summaries as they were."""

import struct

import mindspore as ms
import pytest
from mindspore import nn, ops
from mindspore.train import summary_pb2

import msprec
from msprec.callbacks.summary import SummaryWriter
from msprec.record import step_recorder
from msprec.record.tensorboard import TAGS


def _records(data: bytes):
    """The records of an event file: length, a checksum of it, the record, a checksum of it."""
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        yield data[12 : 12 + length]
        data = data[16 + length :]


def _events(folder) -> tuple:
    """``(the user's events, {(tag, step): value} of the monitors')``."""
    (file,) = folder.iterdir()
    users, ours = [], {}
    for record in _records(file.read_bytes()):
        event = summary_pb2.Event.FromString(record)
        values = list(event.summary.value)
        if values and all(value.tag in TAGS.values() for value in values):
            ours.update({(value.tag, event.step): value.scalar_value for value in values})
        else:
            users.append((event.step, event.summary.SerializeToString()))
    return users, ours


class Summaries(ms.train.Callback):
    """Puts a value into the record before each step and another after it, and then records both."""

    def __init__(self, record):
        super().__init__()
        self.record = record

    def on_train_step_begin(self, run_context):
        self.record.add_value("scalar", "user/step", ms.Tensor(float(run_context.original_args().cur_step_num)))

    def on_train_step_end(self, run_context):
        parameters = run_context.original_args()
        self.record.add_value("scalar", "user/loss", parameters.net_outputs)
        self.record.record(parameters.cur_step_num)


class Summarising(nn.Cell):
    """A network with a summary operator."""

    def __init__(self, net):
        super().__init__()
        self.net, self.summary = net, ops.ScalarSummary()

    def construct(self, x):
        found = self.net(x)
        self.summary("user/mean", found.mean())
        return found


def _train(kit, folder, monitors=lambda _: (), order=1):
    kit.start("graph")
    net = Summarising(kit.network(False))
    model = ms.train.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9))
    with ms.train.SummaryRecord(str(folder)) as record:
        callbacks = [*monitors(record), Summaries(record)]
        model.train(1, kit.data(), callbacks=callbacks[::order])
    return _events(folder)


@pytest.mark.parametrize("flush", [0.0, step_recorder.FLUSH_SECONDS])
@pytest.mark.parametrize("order", [1, -1])
def test_the_users_summaries_stay_and_the_monitors_are_beside_them(kit, monkeypatch, tmp_path, flush, order):
    """Also where rows are written while values of the user's wait in the record."""
    bare, none = _train(kit, tmp_path / "bare")
    monkeypatch.setattr(step_recorder, "FLUSH_SECONDS", flush)
    monitors = []

    def make(record):
        monitors.append(msprec.PrecisionMonitor(out="run", summary=record))
        return monitors

    users, ours = _train(kit, tmp_path / "watched", make, order)
    assert users == bare and not none
    for tag in (b"user/step", b"user/loss", b"user/mean"):
        assert sum(tag in values for _, values in users) == kit.BATCHES
    rows = kit.rows(monitors[0].folder)
    for tag, column in (("loss", "loss"), ("learning_rate", "lr"), ("time/compute_seconds", "seconds")):
        found = [ours[tag, step] for step in range(1, kit.BATCHES + 1)]
        assert found == [struct.unpack("f", struct.pack("f", row[column]))[0] for row in rows]
    assert [e for e in kit.events(monitors[0].folder) if e["event"] == "monitor_error"] == []


def test_watch(kit, tmp_path):
    kit.start("pynative")
    with ms.train.SummaryRecord(str(tmp_path / "events")) as record, msprec.watch(out="run", summary=record) as monitor:
        for step in range(3):
            monitor.step(1.0 / (step + 1))
    _, ours = _events(tmp_path / "events")
    assert [ours["loss", step] for step in (1, 2, 3)] == [pytest.approx(1 / step) for step in (1, 2, 3)]


def test_a_closed_record_is_told_once_and_harms_nothing(kit, monkeypatch, tmp_path):
    monkeypatch.setattr(step_recorder, "FLUSH_SECONDS", 0.0)
    record = ms.train.SummaryRecord(str(tmp_path / "events"))
    record.close()
    kit.start("graph")
    monitor = msprec.PrecisionMonitor(out="run", summary=record)
    with pytest.warns(RuntimeWarning, match="SummaryRecord is closed") as told:
        kit.model("plain").train(1, kit.data(), callbacks=[monitor])
    assert len(told) == 1 and len(kit.rows(monitor.folder)) == kit.BATCHES


def test_values_that_the_user_never_records_stay_the_users(kit, tmp_path):
    with ms.train.SummaryRecord(str(tmp_path / "events")) as record:
        record.add_value("scalar", "user/forgotten", ms.Tensor(1.0))
        writer = SummaryWriter(record)
        writer([{"step": 1, "loss": 0.5}])
        with pytest.raises(RuntimeError, match="1 steps are not in the SummaryRecord"):
            writer.close()
        assert [item["tag"] for item in record._data_pool["scalar"]] == ["user/forgotten"]


def test_what_is_no_record(kit):
    for make in (msprec.PrecisionMonitor, msprec.watch):
        with pytest.raises(TypeError, match="SummaryRecord"):
            make(summary="folder")
