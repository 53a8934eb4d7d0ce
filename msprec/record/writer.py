"""Writes a run folder: JSON written whole, JSON lines and CSV appended. No MindSpore here.

A writer never raises: a full disk or a removed folder costs the record, not the training. The first failure is told by
one warning, later ones are silent; every later write is still tried, so that a disk that has room again is used again.
"""

import contextlib
import math
import os
import sys
import threading
import time
import warnings
from json import dumps  # now: a script may put another in its place
from pathlib import Path
from typing import Optional


def plain(value):
    """Turns ``value`` into what JSON can hold.

    Non-finite floats become ``"nan"``, ``"inf"``, ``"-inf"``; NumPy scalars and arrays become numbers and lists; tuples
    and sets become lists, keys of dicts strings; any other object becomes ``str(object)``.
    """
    if value is None or isinstance(value, (bool, str)):
        return value if value is None or isinstance(value, bool) else str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return _finite_or_name(float(value))
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=lambda item: (type(item).__name__, str(item)))
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if isinstance(value, numpy.ndarray):
            return plain(value.tolist()) if value.dtype.kind != "V" else str(value)
        if isinstance(value, numpy.bool_):
            return bool(value)
        if isinstance(value, numpy.integer):
            return int(value)
        if isinstance(value, numpy.floating):
            return _finite_or_name(float(value))
    return str(value)


def _finite_or_name(value: float):
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def warn_once(owner, message: str) -> None:
    """Warns the first time it is called for ``owner``; never raises, under ``-W error`` neither."""
    if getattr(owner, "_warned", False):
        return
    owner._warned = True
    try:
        # no place in our own source: that leaves one line on the terminal, and the user's source has no part in it
        warnings.warn_explicit(message, RuntimeWarning, "msprec", 1)
    except Exception:
        with contextlib.suppress(Exception):
            print(f"msprec: {message}", file=sys.stderr)


def _cut_off(path: Path) -> bool:
    """Whether a process that was killed left the last line of a file without its end."""
    try:
        with open(path, "rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"
    except OSError:
        return False


class RunWriter:
    """One rank's hand on a run folder.

    Args:
        folder: The run folder; created with its parents.
        rank: Rank of this process. Rank 0 writes ``run.json`` and ``facts/`` into the run folder itself, the others
            into ``rank_N/``; every rank appends to its own ``rank_N/``.

    No method raises; see the module.
    """

    def __init__(self, folder, rank: int = 0) -> None:
        self.folder = Path(folder)
        self.rank = int(rank)
        # the script may change its working directory
        home = Path(os.path.abspath(self.folder))
        self.rank_folder = home / f"rank_{self.rank}"
        self.closed = False
        self._home = home if self.rank == 0 else self.rank_folder
        self._began = time.monotonic()
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._descriptors: dict = {}
        self._torn: set = set()
        #: The last error of writing, in one line; None while all goes well.
        self.failure: Optional[str] = None
        with self._quietly():
            self.rank_folder.mkdir(parents=True, exist_ok=True)

    def facts(self, name: str, obj) -> None:
        """Writes ``facts/NAME.json`` (of rank N: ``rank_N/facts/NAME.json``), whole or not at all."""
        with self._quietly():
            (self._home / "facts").mkdir(exist_ok=True)
            self._write_whole(self._home / "facts" / f"{name}.json", obj)

    def text(self, name: str, text: str) -> None:
        """Writes ``NAME`` (of rank N: ``rank_N/NAME``) as UTF-8 text."""
        with self._quietly():
            (self._home / name).write_text(text, encoding="utf-8")

    def run(self, obj) -> None:
        """Writes ``run.json`` (of rank N: ``rank_N/run.json``), whole or not at all."""
        with self._quietly():
            self._write_whole(self._home / "run.json", obj)

    def event(self, event: str, step: int, **fields) -> None:
        """Appends one line to ``rank_N/events.jsonl``; ``time`` is filled in: seconds since this writer began."""
        with self._quietly():
            seconds = round(time.monotonic() - self._began, 3)
            line = plain({"event": event, "step": step, "time": seconds, **fields})
            self.append("events.jsonl", dumps(line, ensure_ascii=False, allow_nan=False) + "\n")

    def append(self, name: str, text: str, header: str = "") -> bool:
        """Appends ``text`` to ``rank_N/NAME`` and hands it to the system; ``header`` comes first in an empty file.

        Returns:
            bool, whether all of it was written.
        """
        if self.closed or os.getpid() != self._pid:  # a forked child (data workers) must not write for its parent
            return False
        with self._quietly(), self._lock:
            descriptor = self._descriptor(name)
            if os.fstat(descriptor).st_nlink == 0:  # removed while it was open: what is written would go nowhere
                os.close(self._descriptors.pop(name))
                descriptor = self._descriptor(name)
            if header and os.fstat(descriptor).st_size == 0:
                text = header + text
            if name in self._torn:
                text = "\n" + text
            data = text.encode("utf-8", "backslashreplace")
            while data:
                data = data[os.write(descriptor, data) :]
                (self._torn.add if data else self._torn.discard)(name)  # full disks take a part of a line
            return True
        return False

    def close(self) -> None:
        """Closes the files; later calls write nothing."""
        if os.getpid() != self._pid:
            return
        self.closed = True
        with self._quietly(), self._lock:
            while self._descriptors:
                os.close(self._descriptors.popitem()[1])

    def _descriptor(self, name: str) -> int:
        if name not in self._descriptors:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            path = self.rank_folder / name
            if _cut_off(path):
                self._torn.add(name)
            self._descriptors[name] = os.open(path, flags, 0o644)
        return self._descriptors[name]

    def _write_whole(self, path: Path, obj) -> None:
        if self.closed or os.getpid() != self._pid:
            return
        text = dumps(plain(obj), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        passing = path.with_name(f".{path.name}.{self._pid}")
        try:
            passing.write_bytes(text.encode("utf-8", "backslashreplace"))
            os.replace(passing, path)
        except BaseException:
            with contextlib.suppress(OSError):
                passing.unlink()
            raise

    @contextlib.contextmanager
    def _quietly(self):
        try:
            yield
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"[:300]
            warn_once(self, f"the run folder {self.folder} cannot be written, training goes on: {error!r}")
