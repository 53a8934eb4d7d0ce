"""Helpers shared by the tests: running a script bare and under `msprec run`, in processes of their own."""

from pathlib import Path

import pytest
from run_scripts import Scripts

#: Users' scripts, whatever their names; `test_cases.py` runs them.
collect_ignore = ["cases"]


@pytest.fixture
def scripts(tmp_path: Path) -> Scripts:
    """A fresh folder to write and run scripts in; the run folder stands beside it."""
    folder = tmp_path / "project"
    folder.mkdir()
    return Scripts(folder)
