"""A monitor never harms a run: the same bits with and without, and no error of its own reaches the training."""

import errno
import os
import shutil
import warnings
from pathlib import Path

import mindspore as ms
import numpy as np
import pytest

from msprec import GradientMonitor, LossScaleMonitor, NonFiniteMonitor, PrecisionMonitor, StepTimeMonitor
from msprec.callbacks import snapshot
from msprec.callbacks.base import Monitor
from msprec.record import step_recorder as recorders
from msprec.record import writer as writers
from msprec.record.step_recorder import StepRecorder
from msprec.runtime import tensor_snapshot


class Losses(ms.train.Callback):
    """What the training itself computes, read at each step."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def on_train_step_end(self, run_context):
        outputs = run_context.original_args().net_outputs
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        self.seen.append([tensor.asnumpy().tobytes() for tensor in outputs])


def train(kit, mode, kind, monitors, checkpoints=None):
    kit.start(mode)
    trained, losses = kit.model(kind), Losses()
    callbacks = [*monitors, losses]
    if checkpoints:
        config = ms.train.CheckpointConfig(save_checkpoint_steps=6)
        callbacks.append(ms.train.ModelCheckpoint("net", str(checkpoints), config))
    trained.train(2, kit.data(), callbacks=callbacks)
    return trained, losses.seen, kit.weights(trained), kit.state()


_bare = {}


def bare(kit, mode, kind):
    """The training without any monitor, trained once: losses, weights and state."""
    if (mode, kind) not in _bare:
        _bare[mode, kind] = train(kit, mode, kind, [])[1:]
    return _bare[mode, kind]


@pytest.mark.versions
@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("kind", ["plain", "own", "dynamic", "host"])
def test_the_same_bits(kit, tmp_path, mode, kind):
    monitors = [
        LossScaleMonitor("run"),
        NonFiniteMonitor(out="run"),
        StepTimeMonitor("run"),
        GradientMonitor("run", every=1),
        NonFiniteMonitor("stop", "run"),
    ]
    _, bare_losses, bare_weights, bare_state = train(kit, mode, kind, [], tmp_path / "bare")
    _, losses, weights, state = train(kit, mode, kind, monitors, tmp_path / "watched")
    assert losses == bare_losses
    assert list(weights) == list(bare_weights)
    assert all(np.array_equal(weights[name], bare_weights[name], equal_nan=True) for name in weights)
    assert state == bare_state
    files = sorted(path.name for path in (tmp_path / "bare").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "watched").iterdir())
    saved = [name for name in files if name.endswith(".ckpt")]
    assert saved
    for name in saved:
        one, two = (ms.load_checkpoint(str(tmp_path / folder / name)) for folder in ("bare", "watched"))
        assert list(one) == list(two)
        assert all(np.array_equal(one[key].asnumpy(), two[key].asnumpy(), equal_nan=True) for key in one)
    assert len(kit.rows(monitors[0].folder)) == 24
    assert not [e for e in kit.events(monitors[0].folder) if e["event"] == "monitor_error"]


def test_snapshot_of_other_devices_disturbs_nothing(kit, monkeypatch):
    """The copy on the device, tried on a CPU: same value later, no random number used."""
    kit.start("pynative")
    expected = kit.state()
    kit.start("pynative")
    monkeypatch.setattr(tensor_snapshot, "on_cpu", lambda: False)
    for shape in ((), (1,)):
        parameter = ms.Parameter(ms.Tensor(np.full(shape, 2.0**24, np.float32)))
        kept = snapshot(parameter)
        parameter.set_data(ms.Tensor(np.zeros(shape, np.float32)))
        assert float(kept.asnumpy().reshape(())) == 2.0**24
    assert kit.state() == expected
    assert snapshot(None) is None
    assert snapshot(2.5) == 2.5


def broken_in(name):
    class Broken(LossScaleMonitor):
        pass

    def fails(self, run_context):
        raise RuntimeError(f"injected into {name}")

    # as a user's class body would define it
    return type("Broken", (Broken,), {name: fails})


HOOKS = [
    "on_train_begin",
    "on_train_epoch_begin",
    "on_train_step_begin",
    "on_train_step_end",
    "on_train_epoch_end",
    "on_train_end",
]


def same_training(kit, mode, monitors):
    """Trains without and with these monitors, compares bit by bit, and returns the warnings."""
    bare_losses, weights, state = bare(kit, mode, "own")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        _, losses, watched_weights, watched_state = train(kit, mode, "own", monitors)
    assert losses == bare_losses
    assert all(np.array_equal(weights[key], watched_weights[key]) for key in weights)
    assert state == watched_state
    return [str(w.message) for w in seen if "training goes on" in str(w.message)]


@pytest.mark.parametrize(("mode", "name"), [*(("graph", name) for name in HOOKS), ("pynative", "on_train_step_end")])
def test_a_broken_subclass_leaves_the_training_alone(kit, mode, name):
    whole = LossScaleMonitor("run")
    assert len(same_training(kit, mode, [broken_in(name)("run"), whole])) == 1
    assert len(kit.rows(whole.folder)) == 24
    errors = [e for e in kit.events(whole.folder) if e["event"] == "monitor_error"]
    assert len(errors) == 1
    assert f"injected into {name}" in errors[0]["error"]


@pytest.mark.parametrize("method", ["put", "end", "flush", "join", "add_listener", "add_filler"])
def test_a_broken_recorder_leaves_the_training_alone(kit, monkeypatch, method):
    bare_losses, weights, _ = bare(kit, "graph", "plain")

    def fails(*_, **__):
        raise OSError("injected")

    monkeypatch.setattr(StepRecorder, method, fails)
    monitors = [LossScaleMonitor("run"), NonFiniteMonitor("stop", "run"), StepTimeMonitor("run")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, losses, watched, _ = train(kit, "graph", "plain", monitors)
    assert losses == bare_losses
    assert all(np.array_equal(weights[key], watched[key]) for key in weights)


class Does(ms.train.Callback):
    """Does something at the end of certain steps."""

    def __init__(self, **actions):
        super().__init__()
        self.actions = actions

    def on_train_step_end(self, run_context):
        action = self.actions.get(f"step_{run_context.original_args().cur_step_num}")
        if action is not None:
            action()


@pytest.mark.parametrize("comes_back", [False, True])
def test_a_folder_removed_in_the_middle(kit, monkeypatch, comes_back):
    monkeypatch.setattr(recorders, "FLUSH_SECONDS", 0.0)
    monitor, folder = PrecisionMonitor(out="run"), Path("run")
    back = (folder / "rank_0").mkdir
    does = Does(step_4=lambda: shutil.rmtree(folder), **({"step_9": lambda: back(parents=True)} if comes_back else {}))
    told = same_training(kit, "graph", [monitor, does])
    assert len(told) == 1
    assert "No such file" in told[0]
    assert monitor.summary()["loss_scale"]["steps"] == 24
    assert folder.exists() == comes_back
    if comes_back:
        assert [row["step"] for row in kit.rows(folder)] == list(range(4 + 1, 25))
        errors = [e for e in kit.events(folder) if e["event"] == "monitor_error"]
        assert [(e["where"], "No such file" in e["error"], e["lost"]) for e in errors] == [("steps.csv", True, 0)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_a_full_disk(kit, monkeypatch, mode):
    """Every write into the folder meets ENOSPC of the system's own."""
    monkeypatch.setattr(recorders, "FLUSH_SECONDS", 0.0)
    home = Path("run") / "rank_0"
    home.mkdir(parents=True)
    for name in ("steps.csv", "events.jsonl"):
        (home / name).symlink_to("/dev/full")

    def no_room(path, data):
        with open("/dev/full", "wb") as file:
            file.write(data)

    monkeypatch.setattr(Path, "write_bytes", no_room)
    monitor = PrecisionMonitor(out="run")
    told = same_training(kit, mode, [monitor])
    assert len(told) == 1
    assert "No space left on device" in told[0]
    assert monitor.summary()["loss_scale"]["steps"] == 24


def test_a_disk_that_is_full_for_a_while(kit, monkeypatch):
    """No row is lost, and the event is written when there is room again."""
    monkeypatch.setattr(recorders, "FLUSH_SECONDS", 0.0)
    full, write = [], os.write

    def limited(descriptor, data):
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data)

    monkeypatch.setattr(writers.os, "write", limited)
    monitor = PrecisionMonitor(out="run")
    told = same_training(kit, "graph", [monitor, Does(step_5=lambda: full.append(1), step_15=full.clear)])
    assert len(told) == 1
    rows = kit.rows(monitor.folder)
    assert [row["step"] for row in rows] == list(range(1, 25))
    assert all(row["loss"] is not None and row["seconds"] is not None for row in rows)
    errors = [e for e in kit.events(monitor.folder) if e["event"] == "monitor_error"]
    assert [(e["where"], "No space left" in e["error"], e["lost"]) for e in errors] == [("steps.csv", True, 0)]


def test_rows_that_wait_for_room_are_bounded(kit, monkeypatch, tmp_path):
    monkeypatch.setattr(recorders, "UNWRITTEN_ROWS", 7)
    recorder, real = StepRecorder(writers.RunWriter(tmp_path / "run")), writers.RunWriter.append
    monkeypatch.setattr(writers.RunWriter, "append", lambda *_, **__: False)
    for step in range(1, 21):
        recorder.put(step, loss=1.0)
        recorder.end(step)
        recorder.flush()
    monkeypatch.setattr(writers.RunWriter, "append", real)
    recorder.put(21, loss=1.0)
    recorder.end(21)
    recorder.close()
    assert [row["step"] for row in kit.rows(tmp_path / "run")] == list(range(14, 22))
    assert [e["lost"] for e in kit.events(tmp_path / "run")] == [13]


def test_a_folder_that_cannot_be_made(kit, tmp_path):
    (tmp_path / "file").write_text("")
    bare_losses, _, _ = bare(kit, "graph", "plain")
    monitor = LossScaleMonitor(tmp_path / "file" / "run")
    with pytest.warns(RuntimeWarning, match="training goes on"):
        _, losses, _, _ = train(kit, "graph", "plain", [monitor])
    assert losses == bare_losses


def test_keyboard_interrupt_in_a_monitor_still_interrupts(kit):
    class Interrupted(Monitor):
        def on_train_step_end(self, run_context):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(kit, "graph", "plain", [Interrupted("run")])


def test_one_recorder_for_all_without_a_folder_given(kit, tmp_path):
    monitors = [LossScaleMonitor(), NonFiniteMonitor(), StepTimeMonitor()]
    train(kit, "graph", "plain", monitors)
    assert {m.folder for m in monitors} == {monitors[0].folder}
    assert monitors[0].folder.parent == tmp_path / "msprec_runs"
    assert len(list((tmp_path / "msprec_runs").iterdir())) == 1
    assert all(r["seconds"] is not None and r["loss"] is not None for r in kit.rows(monitors[0].folder))


def test_under_a_set_recorder_nothing_but_rows_is_written(kit, tmp_path):
    from msprec.record.step_recorder import use_recorder
    from msprec.record.writer import RunWriter

    recorder = StepRecorder(RunWriter(tmp_path / "given"))
    use_recorder(recorder)
    try:
        monitor = LossScaleMonitor("own")
        train(kit, "graph", "plain", [monitor])
    finally:
        use_recorder(None)
    assert not (tmp_path / "own").exists()
    assert sorted(p.name for p in (tmp_path / "given").rglob("*")) == ["rank_0", "steps.csv"]
    assert recorder.last_step == 24
