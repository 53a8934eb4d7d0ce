"""Every writer under every fault: no training waits, no error reaches it, one warning and, where it can be written, one event."""

import contextlib
import errno
import json
import os
import shutil
import threading
import time
import types
import warnings
from pathlib import Path

import pytest

from msprec.record import step_recorder
from msprec.record.step_recorder import StepRecorder
from msprec.record.tensorboard import TensorBoardWriter, require
from msprec.record.writer import RunWriter

STEPS = 700


def train(recorder: StepRecorder, between=lambda step: None) -> list:
    """Steps as a training records them, in a thread that must end; the warnings that were given."""
    caught = []

    def loop() -> None:
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            for step in range(1, STEPS + 1):
                recorder.put(step, loss=1.0 / step, lr=0.1, seconds=0.01)
                recorder.end(step)
                between(step)
                if step % 100 == 0:
                    recorder.flush()
                    recorder.writer.facts("parameters", {"step": step})
                    recorder.writer.run({"schema": 1, "step": step})
                    recorder.writer.text("note.txt", "x")
            recorder.close()
            recorder.writer.close()
        caught.extend(
            str(w.message) for w in given if "msprec" in str(w.message) or "training goes on" in str(w.message)
        )

    worker = threading.Thread(target=loop, daemon=True)
    worker.start()
    worker.join(30)
    assert not worker.is_alive(), "the training waits for a writer"
    return caught


def recorder_in(folder: Path, events: Path) -> StepRecorder:
    recorder = StepRecorder(RunWriter(folder))
    recorder.add_listener(TensorBoardWriter(events), name="tensorboard")
    return recorder


def told(folder: Path) -> list:
    path = folder / "rank_0" / "events.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


@pytest.fixture
def failing(monkeypatch):
    """Makes writing into files of some name fail with an error number, from the outside of msprec."""

    def install(number: int, part: str) -> None:
        def broken(function):
            def call(path, *args, **kwargs):
                if isinstance(path, (str, Path)) and part in str(path):
                    raise OSError(number, os.strerror(number))
                return function(path, *args, **kwargs)

            return call

        monkeypatch.setattr(os, "open", broken(os.open))
        monkeypatch.setattr(Path, "write_bytes", broken(Path.write_bytes))
        monkeypatch.setattr(Path, "write_text", broken(Path.write_text))

    return install


def test_all_is_well(tmp_path: Path) -> None:
    assert train(recorder_in(tmp_path / "run", tmp_path / "events")) == []
    assert (tmp_path / "run/rank_0/steps.csv").read_text().count("\n") == STEPS + 1 and told(tmp_path / "run") == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO])
def test_a_run_folder_that_cannot_be_written(tmp_path: Path, failing, number: int) -> None:
    failing(number, "run/")
    assert len(train(recorder_in(tmp_path / "run", tmp_path / "events"))) == 1
    assert list((tmp_path / "events").iterdir())  # the other writer goes on


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_disk_that_is_full_for_the_event_file(tmp_path: Path, monkeypatch) -> None:
    import tensorboardX.record_writer as library

    real = library.open_file if hasattr(library, "open_file") else None
    opened = []

    def full(path):
        opened.append(path)
        return open("/dev/full", "wb")

    monkeypatch.setattr(library, "open_file", full, raising=real is not None)
    caught = train(recorder_in(tmp_path / "run", tmp_path / "events"))
    assert opened and len(caught) == 1 and "No space left" in caught[0]
    events = [e for e in told(tmp_path / "run") if e["event"] == "monitor_error"]
    assert len(events) == 1 and "No space left" in events[0]["error"]
    assert (tmp_path / "run/rank_0/steps.csv").read_text().count("\n") == STEPS + 1


@pytest.mark.parametrize("which", ["run", "events"])
def test_a_folder_that_is_removed_while_it_trains(tmp_path: Path, which: str) -> None:
    def remove(step: int) -> None:
        if step == 300:
            shutil.rmtree(tmp_path / which, ignore_errors=True)

    assert len(train(recorder_in(tmp_path / "run", tmp_path / "events"), remove)) <= 1


def test_a_slow_disk_costs_little_of_the_time(tmp_path: Path, monkeypatch) -> None:
    real, writes = os.write, []

    def slow(descriptor, data):
        writes.append(len(data))
        time.sleep(0.3)
        return real(descriptor, data)

    monkeypatch.setattr(step_recorder, "FLUSH_SECONDS", 0.0)
    recorder = StepRecorder(RunWriter(tmp_path / "run"))
    monkeypatch.setattr(os, "write", slow)
    for step in range(1, 2001):
        recorder.put(step, loss=1.0)
        recorder.end(step)
    assert len(writes) == 1  # the next would come after nine seconds
    recorder.close()
    assert (tmp_path / "run/rank_0/steps.csv").read_text().count("\n") == 2001


@pytest.mark.parametrize("library", [types.ModuleType("broken"), None])
def test_a_library_that_is_broken(tmp_path: Path, monkeypatch, library) -> None:
    recorder = recorder_in(tmp_path / "run", tmp_path / "events")
    monkeypatch.setitem(__import__("sys").modules, "tensorboardX.event_file_writer", library)
    monkeypatch.setitem(__import__("sys").modules, "tensorboardX.summary", library)
    assert len(train(recorder)) == 1
    assert [e["event"] for e in told(tmp_path / "run")] == ["monitor_error"]
    if library is None:
        with pytest.raises(ImportError, match="msprec\\[tensorboard\\]"):
            require()


def test_an_event_file_that_somebody_closes(tmp_path: Path) -> None:
    recorder = StepRecorder(RunWriter(tmp_path / "run"))
    writer = recorder.add_listener(TensorBoardWriter(tmp_path / "events"))

    def close(step: int) -> None:
        if step == 300:
            recorder.flush()
            with contextlib.suppress(Exception):
                writer._writer._py_recordio_writer._writer.close()

    assert len(train(recorder, close)) == 1
    assert [e["event"] for e in told(tmp_path / "run")] == ["monitor_error"]
