"""No garbage collection while syntax trees are read and judged."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Trees are millions of objects that all stay: to look through them time and again frees nothing and costs half the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def freeze_gc() -> None:
    """For a command about to end: what is in memory dies with the process, and no time goes into taking it apart."""
    gc.freeze()
