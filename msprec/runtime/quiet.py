"""Silence for a step that is run once more: what it says was said when the training ran it."""

import contextlib
import sys
import threading
from typing import Any

from msprec.runtime import hook_points


class _Filtered:
    """A stream that drops what one thread writes and hands on what the others write."""

    def __init__(self, stream, thread: int) -> None:
        self._stream, self._thread = stream, thread

    def write(self, text) -> int:
        return len(text) if threading.get_ident() == self._thread else self._stream.write(text)

    def writelines(self, lines) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def quiet():
    """Inside, this thread prints nothing and MindSpore's Python code logs nothing for it.

    Other threads, such as those that load data, keep their lines, and so does MindSpore's log of what it says once only: what it
    said inside it will say again.
    """
    thread, logger = threading.get_ident(), _logger()
    said = getattr(hook_points.value("log_once"), "is_logged", None)
    before = dict(said) if isinstance(said, dict) else None

    def others(record) -> bool:
        return record.thread != thread

    with contextlib.ExitStack() as undo:
        if logger is not None:
            logger.addFilter(others)
            undo.callback(logger.removeFilter, others)
        if before is not None:
            undo.callback(_restore, said, before)
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is not None:
                undo.callback(setattr, sys, name, stream)
                setattr(sys, name, _Filtered(stream, thread))
        yield


def _logger():
    make = hook_points.value("log")
    return make() if make is not None else None


def _restore(said: dict, before: dict) -> None:
    said.clear()
    said.update(before)
