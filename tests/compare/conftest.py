"""Fixtures of the comparisons."""

import os
import subprocess
import sys
from typing import NamedTuple

import pytest


class Done(NamedTuple):
    """A finished process."""

    status: int
    out: str
    err: str


@pytest.fixture
def script_runner(tmp_path):
    """Runs the text of a script under ``msprec run --twice``; ``options`` are further ones of msprec."""

    def run(text: str, *args: str, options: tuple = ()) -> Done:
        (tmp_path / "train.py").write_text(text, encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "msprec",
            "run",
            "--twice",
            "--lang",
            "en",
            "--out",
            "runs",
            *options,
            "train.py",
            *filter(None, args),
        ]
        environment = {**os.environ, "GLOG_v": "3", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run
