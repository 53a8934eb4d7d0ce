"""Running a script bare and under `msprec run`, in processes of their own."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

#: The cores that the tests may use.
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def on_one_core(number: int) -> None:
    """Keeps this thread, and whatever it starts, on one core: MindSpore's threads wait for each other in busy loops, and where
    several trainings share the cores each takes up to three times as long."""
    if CORES:
        os.sched_setaffinity(0, {CORES[number % len(CORES)]})


def on_all_cores() -> None:
    if CORES:
        os.sched_setaffinity(0, CORES)


class Ran(NamedTuple):
    """A finished process."""

    status: int
    out: str
    err: str


class Scripts:
    """Writes scripts into a folder and runs them there; ``settings`` are environment variables for them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.settings = folder, {"MS_DEV_LAUNCH_BLOCKING": "1"}
        self.run_folder = folder.parent / f"{folder.name}_run"
        self._begin = None

    def write(self, text: str, name: str = "train.py") -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def pipelined(self) -> "Scripts":
        """PyNative mode as users run it, without what conftest.py sets for speed, and on all cores."""
        self.settings["MS_DEV_LAUNCH_BLOCKING"] = "0"
        self._begin = on_all_cores
        return self

    def environment(self) -> dict:
        own = {"GLOG_v": "3", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}
        return {**os.environ, **own, **self.settings}

    def _run(self, command: list, timeout: float) -> Ran:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(),
            preexec_fn=self._begin,
            capture_output=True,
            timeout=timeout,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def bare(self, *args: str, script: str = "train.py", timeout: float = 180) -> Ran:
        return self._run([sys.executable, script, *args], timeout)

    def command(self, *args: str, script: str = "train.py", options: tuple = ()) -> list:
        """The command line; without probes and the Word report, which take their time, unless ``options`` name them."""
        quick = () if "--probe-seconds" in options else ("--probe-seconds", "0")
        quick += () if "--word" in options else ("--no-word",)
        return [
            sys.executable,
            "-m",
            "msprec",
            "run",
            "--lang",
            "en",
            "--out",
            str(self.run_folder),
            *quick,
            *options,
            script,
            *args,
        ]

    def observed(self, *args: str, script: str = "train.py", options: tuple = (), timeout: float = 180) -> Ran:
        return self._run(self.command(*args, script=script, options=options), timeout)

    def launched(
        self, workers: int, *args: str, script: str = "train.py", options: tuple = (), timeout: float = 180
    ) -> Ran:
        """``script`` under `msprec run` in ``workers`` processes of one `msrun`; skips where there is none."""
        # the launcher starts the `python` that the path names first
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        launcher = shutil.which("msrun", path=path)
        if launcher is None:
            pytest.skip("this MindSpore has no msrun")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [
            launcher,
            f"--worker_num={workers}",
            f"--local_worker_num={workers}",
            f"--master_port={port}",
            "--join=True",
            f"--log_dir={self.folder.parent / 'log'}",
            "python",
            *self.command(*args, script=script, options=options)[1:],
        ]
        environment = {**self.environment(), "PATH": path}
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            preexec_fn=on_all_cores,
            capture_output=True,
            timeout=timeout,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def msprec(self, *args: str, timeout: float = 60) -> Ran:
        return self._run([sys.executable, "-m", "msprec", *args], timeout)

    def json(self, name: str) -> dict:
        return json.loads((self.run_folder / name).read_text(encoding="utf-8"))

    def events(self) -> list:
        file = self.run_folder / "rank_0" / "events.jsonl"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    def rows(self, name: str = "steps.csv") -> list:
        import csv

        with open(self.run_folder / "rank_0" / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def no_own_errors(self) -> None:
        assert [e for e in self.events() if e["event"] == "monitor_error"] == []
