"""Where the benchmarks run."""

import os


def one_core() -> None:
    """This process and those that it starts run on the last core; where the system knows how."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
