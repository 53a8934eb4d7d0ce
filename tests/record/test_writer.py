"""The run folder's writer: exact files, and no exception whatever happens to the disk."""

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pytest

from msprec.record import writer as writer_module
from msprec.record.writer import RunWriter, plain


def events_of(writer: RunWriter) -> list:
    return [json.loads(line) for line in (writer.rank_folder / "events.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (-np.float32("inf"), "-inf"),
        (np.float64(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.float16(0.1), 0.0999755859375),
        (np.int64(7), 7),
        (np.bool_(True), True),
        (np.array([[1.0, np.nan], [2.0, 3.0]]), [[1.0, "nan"], [2.0, 3.0]]),
        (np.array(3), 3),
        ({1: (2, {3})}, {"1": [2, [3]]}),
        (Path("a/b"), os.path.join("a", "b")),
        (None, None),
        (True, True),
        (1 + 2j, "(1+2j)"),
    ],
)
def test_plain(value, expected):
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)
    json.dumps(found, allow_nan=False)


def test_facts_and_run_of_rank_0_and_of_rank_2(tmp_path):
    for rank, home in ((0, tmp_path / "run"), (2, tmp_path / "run" / "rank_2")):
        writer = RunWriter(tmp_path / "run", rank)
        writer.facts("loss", {"losses": [np.float32(1.5), float("nan")], "类": "损失"})
        writer.run({"schema": 1})
        assert json.loads((home / "facts" / "loss.json").read_text("utf-8")) == {"losses": [1.5, "nan"], "类": "损失"}
        assert json.loads((home / "run.json").read_text("utf-8")) == {"schema": 1}
        assert writer.rank_folder == tmp_path / "run" / f"rank_{rank}"
        assert sorted(p.name for p in home.iterdir() if p.is_file()) == ["run.json"], "no passing file stays"


def test_a_fact_that_cannot_be_written_leaves_the_old_one_whole(tmp_path, monkeypatch):
    writer = RunWriter(tmp_path)
    writer.facts("loss", {"old": 1})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer_module.os, "replace", full)
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        writer.facts("loss", {"new": 1})
    assert json.loads((tmp_path / "facts" / "loss.json").read_text()) == {"old": 1}
    assert [p.name for p in (tmp_path / "facts").iterdir()] == ["loss.json"]


def test_events_are_on_disk_at_once_with_rising_times(tmp_path):
    writer = RunWriter(tmp_path)
    writer.event("first_nonfinite", 3, what="loss", value=np.float32("nan"))
    writer.event("stopped", 4, why="多行\n文本 \udc80")
    first, second = events_of(writer)
    assert first.pop("time") >= 0
    assert first == {"event": "first_nonfinite", "step": 3, "what": "loss", "value": "nan"}
    assert second["why"].startswith("多行\n文本")


def test_removed_folder_and_full_disk_cost_one_warning_and_no_exception(tmp_path, monkeypatch):
    writer = RunWriter(tmp_path / "run")
    for folder in (writer.rank_folder, writer.folder):
        folder.rmdir()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        writer.event("a", 1)
        writer.facts("b", {})
        writer.run({})
        assert writer.append("steps.csv", "1\n") is False
    assert len([w for w in seen if "training goes on" in str(w.message)]) == 1
    assert not writer.folder.exists()


def test_no_exception_even_where_warnings_are_errors(tmp_path, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        writer = RunWriter(blocked / "run")
        writer.event("a", 1)
    assert "training goes on" in capsys.readouterr().err


def test_a_torn_line_ends_before_the_next(tmp_path, monkeypatch):
    writer = RunWriter(tmp_path)
    writer.append("events.jsonl", '{"a": 1}\n')
    real, calls = os.write, []

    def short(descriptor, data):
        calls.append(1)
        if len(calls) == 1:
            return real(descriptor, data[:4])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer_module.os, "write", short)
    with pytest.warns(RuntimeWarning):
        assert writer.append("events.jsonl", '{"b": 2}\n') is False
    monkeypatch.setattr(writer_module.os, "write", real)
    assert writer.append("events.jsonl", '{"c": 3}\n') is True
    assert (tmp_path / "rank_0" / "events.jsonl").read_text().splitlines() == ['{"a": 1}', '{"b"', '{"c": 3}']


def test_header_comes_once_though_two_writers_follow_each_other(tmp_path):
    for number in (1, 2):
        writer = RunWriter(tmp_path)
        writer.append("steps.csv", f"{number}\n", header="step\n")
        writer.close()
    assert (tmp_path / "rank_0" / "steps.csv").read_text() == "step\n1\n2\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_writes_nothing(tmp_path):
    writer = RunWriter(tmp_path)
    writer.event("parent", 1)
    child = os.fork()
    if child == 0:
        writer.event("child", 2)
        writer.facts("child", {})
        writer.close()
        os._exit(0)
    os.waitpid(child, 0)
    writer.event("parent", 3)
    assert [e["event"] for e in events_of(writer)] == ["parent", "parent"]
    assert not (tmp_path / "facts" / "child.json").exists()


def test_nothing_is_written_after_close(tmp_path):
    writer = RunWriter(tmp_path)
    writer.event("a", 1)
    writer.close()
    writer.close()
    writer.event("b", 2)
    writer.run({})
    assert len(events_of(writer)) == 1
    assert not (tmp_path / "run.json").exists()
