"""The recorder of training steps: what is written, when, and that nothing it does reaches the training."""

import csv
import json
import math
import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

from msprec.record import step_recorder as steps_module
from msprec.record.step_recorder import StepRecorder, in_use, recorder_for, to_number, use_recorder
from msprec.record.writer import RunWriter


@pytest.fixture
def recorder(tmp_path, monkeypatch):
    monkeypatch.setattr(steps_module, "FLUSH_SECONDS", 1e9)
    return StepRecorder(RunWriter(tmp_path))


def rows_of(recorder) -> list:
    path = recorder.writer.rank_folder / "steps.csv"
    return list(csv.DictReader(path.open(newline=""))) if path.exists() else []


class Late:
    """Like a tensor: its value is taken when it is read, and reading is counted."""

    def __init__(self, value, dtype="float32"):
        self.array, self.reads = np.array(value, dtype), 0

    def asnumpy(self):
        self.reads += 1
        return self.array


def test_several_monitors_make_one_row(recorder):
    recorder.put(1, loss=0.1, overflow=False)
    recorder.put(1, seconds=0.25, lr=None)
    recorder.end(1)
    recorder.put(2, loss=float("nan"), overflow=np.True_, scale=2.0**24, next_scale=float("inf"), epoch=1.0, batch=8)
    recorder.end(2)
    recorder.put(3, loss=1.0)  # never ended: no training step
    recorder.close()
    text = (recorder.writer.rank_folder / "steps.csv").read_text()
    assert text == (
        "step,epoch,loss,overflow,scale,next_scale,lr,seconds,data_seconds,batch,callback_seconds\n"
        "1,,0.1,0,,,,0.25,,,\n"
        "2,1,nan,1,16777216.0,inf,,,,8,\n"
    )


def test_numbers_are_exact(recorder):
    values = [np.float32(0.1), np.float64(1 / 3), np.float16(1e-7), 2.0**-149, 3.4e38, -np.inf]
    for step, value in enumerate(values, 1):
        recorder.put(step, loss=value)
        recorder.end(step)
    recorder.flush()
    assert [float(row["loss"]) for row in rows_of(recorder)] == [float(value) for value in values]


def test_tensors_are_read_in_batches_only(recorder):
    late = [Late(step) for step in range(1, 256)]
    for step, tensor in enumerate(late, 1):
        recorder.put(step, loss=tensor)
        recorder.end(step)
    assert sum(tensor.reads for tensor in late) == 0
    assert rows_of(recorder) == []
    recorder.end(256)
    assert [tensor.reads for tensor in late] == [1] * 255
    assert [row["loss"] for row in rows_of(recorder)] == [str(float(step)) for step in range(1, 256)] + [""]


def test_rows_are_written_after_a_second(recorder, monkeypatch):
    monkeypatch.setattr(steps_module, "FLUSH_SECONDS", 0.05)
    recorder.put(1, loss=1.0)
    recorder.end(1)
    time.sleep(0.06)
    recorder.put(2, loss=2.0)
    recorder.end(2)
    assert [row["step"] for row in rows_of(recorder)] == ["1", "2"]


def test_to_number():
    assert to_number(Late([True, True], bool)) is True
    assert to_number(Late([True, False], bool)) is False
    assert to_number(Late([[3.0]])) == 3.0
    assert to_number(Late([1.0, 2.0, 6.0], "float16")) == 3.0
    assert to_number(Late(5, "int32")) == 5
    assert to_number(None) is None
    assert type(to_number(np.float64(0.1))) is float  # NumPy 2 writes np.float64(0.1)
    with pytest.raises((TypeError, ValueError)):
        to_number("loss")


def test_a_row_waits_for_all_that_have_joined(recorder, monkeypatch):
    monkeypatch.setattr(steps_module, "FLUSH_SECONDS", -1.0)  # every end may write
    recorder.join("a")
    recorder.join("b")
    recorder.put(1, loss=1.0)
    recorder.end(1, by="a")
    assert rows_of(recorder) == []
    recorder.put(1, seconds=2.0)
    recorder.end(1, by="b")
    assert [(row["loss"], row["seconds"]) for row in rows_of(recorder)] == [("1.0", "2.0")]
    recorder.end(2, by="a")
    recorder.end(3, by="a")  # b has missed step 2: it is complete all the same
    assert [row["step"] for row in rows_of(recorder)] == ["1", "2"]
    recorder.leave("b")
    recorder.end(4, by="a")
    assert [row["step"] for row in rows_of(recorder)] == ["1", "2", "3", "4"]


def test_what_comes_after_the_row_was_written_is_dropped(recorder):
    recorder.put(1, loss=1.0)
    recorder.end(1)
    recorder.flush()
    recorder.put(1, lr=0.1)
    recorder.end(1)
    recorder.flush()
    assert [(row["step"], row["lr"]) for row in rows_of(recorder)] == [("1", "")]


def test_first_step_and_last_step(tmp_path):
    recorder = StepRecorder(RunWriter(tmp_path), first_step=101)
    assert recorder.last_step == 100
    recorder.put(100, loss=0.0)
    recorder.end(100)
    recorder.end(101)
    recorder.close()
    assert recorder.last_step == 101
    assert [row["step"] for row in rows_of(recorder)] == ["101"]


def test_listeners_get_batches_of_plain_numbers_and_fillers_come_before(recorder):
    got, closed = [], []

    class Listener:
        def __call__(self, rows):
            got.append([dict(row) for row in rows])

        def close(self):
            closed.append(True)

    recorder.add_listener(Listener())
    recorder.add_filler(lambda row: row.setdefault("lr", row["step"] / 8))
    for step in (1, 2):
        recorder.put(step, loss=Late(step), overflow=Late(step == 2, bool), own="own".__len__())
        recorder.end(step)
    recorder.flush()
    recorder.close()
    assert got == [
        [
            {"step": 1, "loss": 1.0, "overflow": False, "own": 3, "lr": 0.125},
            {"step": 2, "loss": 2.0, "overflow": True, "own": 3, "lr": 0.25},
        ]
    ]
    assert closed == [True]
    assert [row["lr"] for row in rows_of(recorder)] == ["0.125", "0.25"]


def test_a_named_listener_is_there_once(recorder):
    first = recorder.add_listener(list, name="x")
    assert recorder.add_listener(tuple, name="x") is first


def test_errors_of_listeners_and_tensors_become_one_event_each_and_one_warning(recorder):
    class Broken:
        def asnumpy(self):
            raise RuntimeError("device lost")

        def float(self):
            raise RuntimeError("device lost")

    def listener(rows):
        raise KeyError("listener")

    recorder.add_listener(listener)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for step in (1, 2, 3):
            recorder.put(step, loss=Broken(), scale=4.0)
            recorder.end(step)
            recorder.flush()
    assert len(seen) == 1
    events = [json.loads(x) for x in (recorder.writer.rank_folder / "events.jsonl").read_text().splitlines()]
    assert [event["event"] for event in events] == ["monitor_error"] * 2
    assert "device lost" in events[0]["error"]
    assert [(row["loss"], row["scale"]) for row in rows_of(recorder)] == [("", "4.0")] * 3


def test_removed_folder_does_not_reach_the_training(tmp_path):
    recorder = StepRecorder(RunWriter(tmp_path / "run"))
    recorder.writer.rank_folder.rmdir()
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        recorder.end(1)
        recorder.flush()
    recorder.end(2)
    recorder.close()


def test_registry(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(steps_module, "_recorders", {})
    one = recorder_for(tmp_path / "a")
    assert recorder_for(str(tmp_path / "a")) is one
    assert recorder_for("a") is one
    assert recorder_for("b") is not one
    fresh = recorder_for()
    assert recorder_for(None) is fresh
    assert fresh.writer.folder.parent == tmp_path / "msprec_runs"
    assert fresh.writer.folder.name.startswith("run_2")
    use_recorder(one)
    try:
        assert in_use() is one
        assert recorder_for("b") is one
        assert recorder_for() is one
    finally:
        use_recorder(None)
    assert in_use() is None
    one.close()
    assert recorder_for("a") is not one, "a closed recorder takes no more rows"


def test_two_new_folders_in_one_second_differ(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(steps_module.time, "strftime", lambda *_: "run_20260102_030405")
    names = [steps_module._new_folder(1).name for _ in range(3)]
    assert names == ["run_20260102_030405", "run_20260102_030405-2", "run_20260102_030405-3"]
    assert steps_module._new_folder(2).name == "run_20260102_030405", "ranks share a folder"


RANKS = (
    "from msprec.record.step_recorder import recorder_for\n"
    "r = recorder_for(); r.end(1); r.close(); print(r.writer.rank_folder)"
)


def test_ranks_of_one_launcher_share_a_folder(tmp_path):
    names = []
    for rank in ("0", "1"):
        environment = {**os.environ, "RANK_ID": rank, "RANK_SIZE": "2"}
        done = subprocess.run(
            [sys.executable, "-c", RANKS], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        names.append(done.stdout.strip())
        time.sleep(1.1)  # another second by the clock
    assert [os.path.basename(name) for name in names] == ["rank_0", "rank_1"]
    if sys.platform == "linux":
        assert os.path.dirname(names[0]) == os.path.dirname(names[1])
    assert all(os.path.exists(os.path.join(name, "steps.csv")) for name in names)


SCRIPT = """
import sys, time
from msprec.record.step_recorder import StepRecorder
from msprec.record.writer import RunWriter
recorder = StepRecorder(RunWriter(sys.argv[1]))
for step in range(1, 100000):
    recorder.put(step, loss=step / 2)
    recorder.end(step)
    time.sleep(0.02)
    if step == 75:
        print("now", flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_rows_survive_sigkill_up_to_the_last_second(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    text = (tmp_path / "rank_0" / "steps.csv").read_text()
    assert text.endswith("\n")
    rows = list(csv.DictReader(text.splitlines()))
    assert [float(row["loss"]) for row in rows] == [step / 2 for step in range(1, len(rows) + 1)]
    assert len(rows) >= 15, "75 steps of at least 20 ms: the first second has been written"


def test_a_script_that_exits_without_closing_leaves_all_rows(tmp_path):
    script = SCRIPT.replace("time.sleep(0.02)", "").replace('print("now", flush=True)', "sys.exit(3)")
    assert subprocess.run([sys.executable, "-c", script, str(tmp_path)]).returncode == 3
    assert len((tmp_path / "rank_0" / "steps.csv").read_text().splitlines()) == 76


def test_a_million_rows_stay_small(recorder):
    """By a hundredth of it: under 200 bytes a row, and quick."""
    generator = np.random.default_rng(0)
    losses = generator.random(10000, dtype=np.float32)
    began = time.perf_counter()
    for step in range(1, 10001):
        recorder.put(step, epoch=3, loss=Late(losses[step - 1]), overflow=False, scale=65536.0, next_scale=65536.0)
        recorder.put(step, lr=0.01, seconds=0.0123456, data_seconds=0.0001234, batch=32)
        recorder.end(step)
    recorder.close()
    assert (time.perf_counter() - began) / 10000 < 200e-6
    assert (recorder.writer.rank_folder / "steps.csv").stat().st_size < 200 * 10000
    assert math.isclose(sum(float(row["loss"]) for row in rows_of(recorder)), float(losses.astype(float).sum()))
