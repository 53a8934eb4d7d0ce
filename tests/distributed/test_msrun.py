"""Two workers on a CPU under ``msrun``: each writes its own folder, and reading brings them together."""

import csv
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from msprec.engine import conclude, ranks
from msprec.record.reader import RunFolder

PROJECT = Path(__file__).parent / "project"
STEPS = 12
#: One process makes what the tests here share, which takes longest.
pytestmark = pytest.mark.xdist_group("msrun")


class Launch:
    """Starts ``train.py`` with two workers in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(PROJECT, folder, dirs_exist_ok=True)

    def __call__(self, *command: str, workers: int = 2) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        # the launcher starts the `python` that the path names first
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "GLOG_v": "3", "LC_ALL": "C.UTF-8"}
        launcher = [
            shutil.which("msrun", path=path),
            f"--worker_num={workers}",
            f"--local_worker_num={workers}",
            f"--master_port={port}",
            "--join=True",
            "--log_dir=log",
        ]
        done = subprocess.run(
            [*launcher, *command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        logs = "".join(
            path.read_text("utf-8", "replace") for path in sorted((self.folder / "log").glob("worker_*.log"))
        )
        shutil.rmtree(self.folder / "log", ignore_errors=True)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:] + logs[-3000:]
        return logs

    def rows(self, run: str, rank: int) -> list:
        with open(self.folder / run / f"rank_{rank}" / "steps.csv", newline="") as file:
            return list(csv.DictReader(file))

    def item(self, run: str, name: str) -> dict:
        return next(entry for entry in conclude(self.folder / run)["items"] if entry["id"] == name)


def weights(text: str) -> list:
    return sorted(line for line in text.splitlines() if line.startswith("weights of rank"))


@pytest.fixture(scope="module")
def launch(tmp_path_factory):
    if shutil.which("msrun", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}") is None:
        pytest.skip("this MindSpore has no msrun")
    return Launch(tmp_path_factory.mktemp("two_workers"))


@pytest.fixture(scope="module")
def bare(launch):
    """What the workers print without msprec."""
    try:
        return launch("train.py")
    except (AssertionError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"msrun cannot run two workers here: {str(error)[-300:]}")


def test_each_rank_writes_its_own_folder(launch, bare):
    seen = launch("python", "-m", "msprec", "run", "--lang", "en", "--out", "run", "train.py")
    assert weights(seen) == weights(bare)
    assert len(weights(bare)) == 2
    for rank in (0, 1):
        assert [int(row["step"]) for row in launch.rows("run", rank)] == list(range(1, STEPS + 1))
    assert launch.rows("run", 0)[0]["loss"] != launch.rows("run", 1)[0]["loss"]
    read = RunFolder(launch.folder / "run")
    assert read.ranks() == [0, 1]
    for rank in (0, 1):
        facts = read.run_of(rank)
        assert (facts["rank"], facts["rank_size"], facts["exit"]["kind"]) == (rank, 2, "ok")
        assert facts["parallel"] == {
            "mode": "data_parallel",
            "parameter_broadcast": False,
            "gradients_reduced": True,
            "gradients_mean": True,
        }
    assert ranks.disagreements(read) == []
    assert ranks.weights_differ(read, [0, 1], "initial") is False
    assert ranks.weights_differ(read, [0, 1], "final") is False
    assert "rank 1 has not finished" not in seen
    # its report was written when both had ended
    written = json.loads((launch.folder / "run" / "checklist.json").read_text("utf-8"))
    assert {entry["id"]: entry["conclusion"] for entry in written["items"]}["wi.01"] == "ok"


def test_nan_on_one_rank(launch, bare):
    """Its cell talks to the other ranks: a replay by one of them alone would wait for ever."""
    seen = launch(
        "python", "-m", "msprec", "run", "--lang", "en", "--out", "nan", "--probe-seconds", "0", "train.py", "nan"
    )
    assert len(weights(seen)) == 2
    read = RunFolder(launch.folder / "nan")
    assert ranks.first_nonfinite(read) == (4, "loss", [1])
    entry = launch.item("nan", "mp.01")
    assert entry["conclusion"] == "problem"
    assert entry["summary"].startswith("Rank 1: The loss is NaN")
    assert not [event for rank in (0, 1) for event in read.events(rank) if event["event"] == "monitor_error"]
    again = launch("python", "-m", "msprec", "locate", "--lang", "en", "nan", workers=1)
    assert "step 4, data" in again


def test_what_is_wrong_on_one_rank_alone(launch, bare):
    """The report is one for all ranks; each finding that rests on one of them names it."""
    launch(
        "python", "-m", "msprec", "run", "--lang", "en", "--out", "wrong", "--probe-seconds", "0", "train.py", "wrong"
    )
    written = json.loads((launch.folder / "wrong" / "checklist.json").read_text("utf-8"))
    items = {entry["id"]: entry for entry in written["items"]}
    for name, words in (("ds.01", "column x"), ("cg.02", "0.weight")):
        assert items[name]["conclusion"] == "problem", items[name]
        assert items[name]["summary"].startswith("Rank 1: "), items[name]["summary"]
        assert words in items[name]["summary"]
    shown = next(piece for piece in items["ds.01"]["evidence"] if piece["title"] == "What each rank shows")
    assert [row[:2] for row in shown["rows"]] == [["1", "problem"], ["0", "no problem"]]


def test_callbacks_by_hand_and_scales_that_come_apart(launch, bare):
    launch("train.py", "apart", "callbacks=by_hand")
    read = RunFolder(launch.folder / "by_hand")
    assert [len(launch.rows("by_hand", rank)) for rank in (0, 1)] == [STEPS, STEPS]
    assert next(one[:3] for one in ranks.disagreements(read)) == ("overflow", 3, {0: 0.0, 1: 1.0})
    entry = launch.item("by_hand", "mp.01")
    assert entry["conclusion"] == "problem"
    assert "From step 3 on the ranks disagree on the overflow flag (rank 0 0, rank 1 1)" in entry["summary"]
