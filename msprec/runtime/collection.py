"""Python's garbage collection, held back while much is made at once that stays."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Nothing is collected inside: imports and the like would set off a search through all objects of MindSpore, 0.1 s long."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
