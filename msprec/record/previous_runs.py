"""What a run folder already holds when a training is continued in it. No MindSpore."""

import os
from pathlib import Path

import numpy as np

from msprec.record.reader import RunFolder, RunFolderError

_TAIL = 1 << 16


class EarlierSteps:
    """The steps that one rank recorded in a folder before this process.

    Args:
        folder: The run folder.
        rank: The rank.
    """

    def __init__(self, folder: Path, rank: int = 0) -> None:
        self._folder, self._rank = Path(folder), rank
        #: Number of the last step recorded; 0 where there is none.
        self.last = _last_step(self._folder / f"rank_{rank}" / "steps.csv")

    def step_of(self, updates: int) -> int:
        """The step after which an optimizer had made so many updates; the last such step, where later ones were skipped.

        Steps that overflowed made none, and of the others so many share an update as ``train_step.json`` says. Updates
        beyond those recorded count one step each.
        """
        try:
            read = RunFolder(self._folder)
        except RunFolderError:
            return self.last
        steps = read.steps(self._rank)
        made = np.cumsum(~(np.nan_to_num(steps["overflow"]) > 0))
        wanted = updates * _steps_an_update(read.facts("train_step", self._rank))
        if not made.size or made[-1] < wanted:
            return self.last + wanted - (int(made[-1]) if made.size else 0)
        return int(steps["step"][np.searchsorted(made, wanted, side="right") - 1])

    def facts(self, name: str) -> dict:
        """``facts/NAME.json`` as it was left, or an empty dictionary."""
        try:
            return RunFolder(self._folder).facts(name, self._rank)
        except RunFolderError:
            return {}

    def run(self) -> dict:
        """``run.json`` as it was left, or an empty dictionary."""
        try:
            return RunFolder(self._folder).run_of(self._rank)
        except RunFolderError:
            return {}


def _last_step(path: Path) -> int:
    """The step of the last whole line, read from the end of the file."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            lines = file.read(_TAIL).split(b"\n")[:-1]
    except OSError:
        return 0
    for line in reversed(lines):
        first = line.split(b",", 1)[0]
        if first.isdigit():
            return int(first)
    return 0


def _steps_an_update(facts: dict) -> int:
    entries = facts.get("steps")
    counts = (
        [entry.get("accumulation") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    )
    return next((count for count in reversed(counts) if isinstance(count, int) and count > 0), 1)
