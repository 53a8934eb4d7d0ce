"""How much memory this process has taken at most, and how nothing of the script's is kept in it."""

import contextlib
import sys
import weakref
from typing import Optional


def peak_host_memory() -> Optional[int]:
    """The largest resident memory of this process so far, in bytes; ``None`` where the system does not tell (Windows)."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def peak_device_memory() -> Optional[int]:
    """The largest memory that tensors have taken on the device so far, in bytes; ``None`` on a CPU.

    From ``mindspore.runtime.max_memory_allocated``. Not run on a device here: tested with a stand-in that returns what its
    documentation says, an int in bytes.
    """
    from msprec.runtime.tensor_snapshot import on_cpu

    with contextlib.suppress(Exception):
        if not on_cpu():
            from mindspore import runtime

            return int(runtime.max_memory_allocated())
    return None


def reference(value):
    """A weak reference: nothing of the script's is kept alive."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: None


def in_one_place(one, other) -> bool:
    """Whether two tensors begin at the same place in memory, so that what is written into one is in the other; not, where a
    tensor does not say where it lies. Not run on a device here."""
    with contextlib.suppress(Exception):
        place = one.data_ptr()
        return bool(place) and place == other.data_ptr()
    return False
