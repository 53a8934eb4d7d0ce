"""The same work on many pairs, on all cores, with a progress bar."""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Callable


def on_all_cores(function: Callable, items: Sequence, what: str = "") -> list:
    """``[function(item) for item in items]``; NumPy lets other threads run while it works.

    A core holds one item's tensors at a time. A bar is shown on the standard error stream where that is a terminal.
    """
    workers = max(1, min(len(items), cores()))
    if workers == 1 and not sys.stderr.isatty():
        return [function(item) for item in items]
    with ThreadPoolExecutor(workers) as pool:
        if not sys.stderr.isatty():
            return list(pool.map(function, items))
        return _shown(pool.map(function, items), len(items), what)


def cores() -> int:
    """The cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _shown(results, count: int, what: str) -> list:
    from rich.console import Console
    from rich.progress import Progress

    found = []
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=count)
        for result in results:
            found.append(result)
            progress.advance(task)
    return found
