"""The reader: whole folders, cut-off lines, foreign folders."""

import json

import numpy as np
import pytest

from msprec.record.reader import RunFolder, RunFolderError


@pytest.fixture
def home(tmp_path):
    (tmp_path / "run.json").write_text(json.dumps({"schema": 1, "source_files": {"train.py": "source/train.py"}}))
    (tmp_path / "facts").mkdir()
    (tmp_path / "rank_0").mkdir()
    (tmp_path / "source").mkdir()
    return tmp_path


def test_steps_tell_nan_from_nothing(home):
    (home / "rank_0" / "steps.csv").write_text("step,loss,overflow\n1,nan,0\n2,,1\n3,inf,\n4,0.5,True\n5,x,0\n")
    steps = RunFolder(home).steps()
    assert len(steps) == 5 and "loss" in steps and "scale" not in steps
    assert steps.seen("loss").tolist() == [True, False, True, True, False]
    assert np.isnan(steps["loss"][0]) and steps["loss"][3] == 0.5
    assert steps.observed("overflow").tolist() == [0, 1, 1, 0]
    assert np.isnan(steps["scale"]).all() and not steps.seen("scale").any()


def test_a_half_written_last_line_loses_only_itself(home):
    (home / "rank_0" / "steps.csv").write_text("step,loss\n1,2.5\n2,2.2\n3,1.")
    (home / "rank_0" / "events.jsonl").write_text('{"event": "a"}\n[1]\nbroken\n{"event": "b"}\n{"eve')
    folder = RunFolder(home)
    assert folder.steps()["loss"].tolist() == [2.5, 2.2]
    assert [event["event"] for event in folder.events()] == ["a", "b"]
    assert any("steps.csv" in note for note in folder.damaged) and any(
        "events.jsonl" in note for note in folder.damaged
    )


def test_lines_of_the_wrong_length_are_left_out(home):
    (home / "rank_0" / "steps.csv").write_text("step,loss\n1,2.5\n2\n3,1,9\n4,1.5\n")
    assert RunFolder(home).steps()["step"].tolist() == [1, 4]


def test_windows_line_ends_and_a_byte_order_mark(home):
    (home / "rank_0" / "steps.csv").write_bytes("\ufeffstep,loss\r\n1,2.5\r\n".encode())
    assert RunFolder(home).steps()["loss"].tolist() == [2.5]


@pytest.mark.parametrize("content", ["", "{", "[1, 2]", "nonsense", "[" * 100000, '{"a": ' + "9" * 5000 + "}"])
def test_broken_facts_read_as_missing(home, content):
    (home / "facts" / "loss.json").write_text(content)
    folder = RunFolder(home)
    assert folder.facts("loss") == {} and folder.facts("optimizer") == {} and not folder.has_facts("loss")


def test_facts_of_other_ranks(home):
    (home / "rank_3" / "facts").mkdir(parents=True)
    (home / "rank_3" / "facts" / "loss.json").write_text('{"losses": []}')
    (home / "rank_x").mkdir()
    folder = RunFolder(home)
    assert folder.ranks() == [0, 3] and folder.facts("loss", 3) == {"losses": []} and len(folder.steps(3)) == 0


def test_sources_are_read_from_the_folder_alone(home):
    (home / "source" / "train.py").write_text("x = 1\n")
    run = {
        "schema": 1,
        "source_files": {
            "train.py": "source/train.py",
            "up": "../secret",
            "abs": "/etc/passwd",
            "odd": 3,
            "nul": "a\0b",
        },
    }
    (home / "run.json").write_text(json.dumps(run))
    (home.parent / "secret").write_text("secret")
    folder = RunFolder(home)
    assert folder.source("train.py") == "x = 1\n"
    assert [folder.source(name) for name in ("up", "abs", "odd", "nul", "other.py")] == [None] * 5


def test_a_broken_run_json_beside_steps_is_still_a_run_folder(home):
    (home / "run.json").write_text('{"schema": 1, "scr')
    with pytest.raises(RunFolderError, match="not a run folder"):
        RunFolder(home)
    (home / "rank_0" / "steps.csv").write_text("step,loss\n1,2.5\n")
    assert RunFolder(home).run == {} and len(RunFolder(home).steps()) == 1


def test_steps_alone_as_callbacks_leave_them(tmp_path):
    (tmp_path / "rank_0").mkdir()
    (tmp_path / "rank_0" / "steps.csv").write_text("step,loss\n")
    assert len(RunFolder(tmp_path).steps()) == 0


@pytest.mark.parametrize("content", [None, "{}", '{"name": "another tool"}', "x"])
def test_foreign_folders_are_refused(tmp_path, content):
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(RunFolderError, match="not a run folder"):
        RunFolder(tmp_path)


def test_a_file_a_missing_folder_and_a_newer_schema_are_refused(tmp_path):
    with pytest.raises(RunFolderError, match="no such folder"):
        RunFolder(tmp_path / "none")
    (tmp_path / "run.json").write_text('{"schema": 2}')
    with pytest.raises(RunFolderError, match="newer"):
        RunFolder(tmp_path)
