"""Reads a run folder as SCHEMA.md beside this file describes it, however it was left.

A run may have been killed in the middle of a line. So every reader here gives what can be read and notes in
``RunFolder.damaged`` what could not; only a folder that is no run folder at all is an error. Needs NumPy only.
"""

import csv
import json
import re
from pathlib import Path
from typing import Any, Optional, Protocol

import numpy as np

SCHEMA = 1


class RunFolderError(Exception):
    """The folder cannot be read as a run folder; the message is one line for the user."""


class Steps:
    """The table of training steps: ``steps["loss"]`` is a float64 array of shape (rows,), NaN where the cell was empty.

    ``steps.seen("loss")`` tells an observed NaN from a cell that nobody filled; truth values are 1 and 0. A column that is not
    there counts as empty. SCHEMA.md gives the columns and their units.
    """

    def __init__(self, header: Optional[list] = None, rows: Optional[list] = None):
        self.names = list(header or [])
        self._cells = dict(zip(self.names, zip(*rows))) if rows else {}
        self._length = len(rows or [])
        self._arrays: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def __len__(self) -> int:
        return self._length

    def __contains__(self, name: str) -> bool:
        return bool(self.seen(name).any())

    def __getitem__(self, name: str) -> np.ndarray:
        return self._column(name)[0]

    def seen(self, name: str) -> np.ndarray:
        """Where the column holds a value, of shape (rows,) and dtype bool (NaN and infinity are values)."""
        return self._column(name)[1]

    def observed(self, name: str) -> np.ndarray:
        """The column's observed values alone."""
        values, seen = self._column(name)
        return values[seen]

    def _column(self, name: str):
        if name not in self._arrays:
            cells = self._cells.get(name, [""] * self._length)
            try:  # a table of a million steps has numbers and empty cells
                parsed = [float(text) if text else None for text in cells]
            except ValueError:
                parsed = [_cell(text) for text in cells]
            values = np.array(parsed, dtype=float)  # None: NaN
            self._arrays[name] = values, np.array([value is not None for value in parsed], dtype=bool)
        return self._arrays[name]


class Records(Protocol):
    """What is read of a run: a `RunFolder`, or scripts in its place (``path`` None), which have sources and no facts."""

    @property
    def path(self) -> Optional[Path]:
        """The folder; None: scripts."""

    @property
    def run(self) -> dict:
        """``run.json``."""

    @property
    def damaged(self) -> list[str]:
        """What could not be read, as lines ``file: why``."""

    def ranks(self) -> list[int]: ...
    def facts(self, name: str, rank: int = 0) -> dict: ...
    def has_facts(self, name: str, rank: int = 0) -> bool: ...
    def run_of(self, rank: int) -> dict: ...
    def steps(self, rank: int = 0) -> Steps: ...
    def events(self, rank: int = 0) -> list[dict]: ...
    def gradients(self, rank: int = 0) -> list[dict]: ...
    def source_names(self) -> list[str]: ...
    def source(self, name: str) -> Optional[str]: ...


def _cell(text: str) -> Optional[float]:
    text = text.strip().lower()
    if text in ("true", "false"):
        return float(text == "true")
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _without_superseded(rows: list, column: int) -> list:
    """The rows less those that a training resumed at an earlier step has run again: a step later in the file counts."""
    steps = np.array([np.nan if (step := _cell(row[column])) is None else step for row in rows], dtype=float)
    if not (np.diff(steps) <= 0).any():
        return rows
    earliest_later = np.append(np.fmin.accumulate(steps[::-1])[::-1][1:], np.inf)
    return [row for row, gone in zip(rows, steps >= earliest_later) if not gone]


def _is_after(event: dict, resumed: dict) -> bool:
    step, at = event.get("step"), resumed.get("step")
    return isinstance(step, (int, float)) and isinstance(at, (int, float)) and step > at


class RunFolder:
    """One run folder, read lazily and tolerantly: what cannot be read is empty, and named in ``damaged``.

    Raises RunFolderError where there is no folder, where it is no run folder, and where a newer msprec wrote it.
    """

    def __init__(self, path):
        self.path = Path(path)
        self.damaged = []
        self._facts = {}
        self._steps = {}
        self._events = {}
        self._ranks = None
        if not self.path.is_dir():
            raise RunFolderError(f"{self.path}: there is no such folder")
        self.run = self._json(self.path / "run.json") or {}
        self._refuse_foreign()

    def _refuse_foreign(self) -> None:
        schema = self.run.get("schema")
        if isinstance(schema, (int, float)) and schema > SCHEMA:
            raise RunFolderError(f"{self.path}: written by a newer msprec (schema {schema}; this one reads {SCHEMA})")
        if schema is None and not self._has_records():
            raise RunFolderError(f"{self.path}: not a run folder (neither a readable run.json nor facts/ nor rank_0/)")

    def _has_records(self) -> bool:
        if any((self.path / "facts").glob("*.json")):
            return True
        return any(
            (self.path / f"rank_{rank}" / name).is_file()
            for rank in self.ranks()
            for name in ("steps.csv", "events.jsonl")
        )

    def ranks(self) -> list:
        """The ranks that left something, 0 first."""
        if self._ranks is None:
            found = (re.fullmatch(r"rank_(\d{1,6})", entry.name) for entry in self.path.iterdir() if entry.is_dir())
            self._ranks = sorted({0} | {int(match.group(1)) for match in found if match})
        return list(self._ranks)

    def hand_over(self, facts: dict) -> None:
        """Facts by name that were not recorded but given to the reader, such as those of references."""
        self._facts.update({(name, 0): value for name, value in facts.items()})

    def facts(self, name: str, rank: int = 0) -> dict:
        """``facts/<name>.json`` of a rank; empty when it is missing or cannot be read."""
        if (name, rank) not in self._facts:
            home = self.path if rank == 0 else self.path / f"rank_{rank}"
            self._facts[name, rank] = self._json(home / "facts" / f"{name}.json") or {}
        return self._facts[name, rank]

    def has_facts(self, name: str, rank: int = 0) -> bool:
        """Whether there are facts of that name."""
        return bool(self.facts(name, rank))

    def run_of(self, rank: int) -> dict:
        """``run.json`` of a rank; empty when it is missing or cannot be read."""
        if rank == 0:
            return self.run
        if ("run", rank) not in self._facts:
            self._facts["run", rank] = self._json(self.path / f"rank_{rank}" / "run.json") or {}
        return self._facts["run", rank]

    def steps(self, rank: int = 0) -> Steps:
        """``steps.csv`` of a rank: broken lines left out, and steps that a resumed training ran again counted once."""
        if rank not in self._steps:
            self._steps[rank] = self._read_steps(self.path / f"rank_{rank}" / "steps.csv")
        return self._steps[rank]

    def events(self, rank: int = 0) -> list:
        """``events.jsonl`` of a rank in order, less what came after the step at which a training was resumed."""
        if rank not in self._events:
            self._events[rank] = self._read_events(self.path / f"rank_{rank}" / "events.jsonl")
        return self._events[rank]

    def gradients(self, rank: int = 0) -> list:
        """The rows of ``gradients.csv``: names as text, all else as numbers or None."""
        path = self.path / f"rank_{rank}" / "gradients.csv"
        try:
            rows = list(csv.DictReader(line.replace("\0", "") for line in self._whole_lines(path)))
        except csv.Error as error:
            self._note(path, error)
            return []
        texts = ("parameter", "source")
        return [{key: text if key in texts else _cell(text or "") for key, text in row.items() if key} for row in rows]

    def source_names(self) -> list:
        """The user's own files of which the folder holds a copy, by the name that places use."""
        names = self.run.get("source_files")
        return sorted(name for name in names if isinstance(name, str)) if isinstance(names, dict) else []

    def source(self, name: str) -> Optional[str]:
        """The text of one of the user's files as it was; None when there is no copy (never read from elsewhere)."""
        names = self.run.get("source_files")
        copy = names.get(name) if isinstance(names, dict) else None
        if not isinstance(copy, str) or "\0" in copy:
            return None
        target = (self.path / copy).resolve()
        if self.path.resolve() not in target.parents:
            return None
        return self._text(target)

    def _text(self, path: Path) -> Optional[str]:
        try:
            return path.read_bytes().decode("utf-8-sig", errors="replace")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            self._note(path, error)
            return None

    def _json(self, path: Path) -> Optional[dict]:
        text = self._text(path)
        if text is None:
            return None
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            self._note(path, error)
            return None
        if not isinstance(value, dict):
            self._note(path, "no JSON object")
            return None
        return value

    def _read_steps(self, path: Path) -> Steps:
        lines = self._whole_lines(path)
        try:
            rows = list(csv.reader(line.replace("\0", "") for line in lines))
        except csv.Error as error:
            self._note(path, error)
            return Steps()
        if not rows or "step" not in rows[0]:
            return Steps()
        header, body = rows[0], [row for row in rows[1:] if row]
        whole = [row for row in body if len(row) == len(header)]
        if len(whole) < len(body):
            self._note(path, f"{len(body) - len(whole)} broken lines left out")
        return Steps(header, _without_superseded(whole, header.index("step")))

    def _read_events(self, path: Path) -> list:
        events: list[dict] = []
        for line in self._whole_lines(path):
            try:
                event = json.loads(line) if line.strip() else None
            except (ValueError, RecursionError) as error:
                self._note(path, error)
                continue
            if not isinstance(event, dict):
                continue
            if event.get("event") == "resumed":
                events = [before for before in events if not _is_after(before, event)]
            events.append(event)
        return events

    def _whole_lines(self, path: Path) -> list:
        """The lines that were written to their end; a last line without its newline was cut off."""
        text = self._text(path)
        if not text:
            return []
        lines = text.split("\n")
        if lines[-1]:
            self._note(path, "the last line was cut off")
        return [line.rstrip("\r") for line in lines[:-1]]

    def _note(self, path: Path, why: Any) -> None:
        try:
            name = path.relative_to(self.path).as_posix()
        except ValueError:
            name = path.name
        self.damaged.append(f"{name}: {why}")
