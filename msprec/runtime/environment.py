"""Versions, platform, ranks and MindSpore's context of this process."""

import os
import platform
import sys
from functools import lru_cache
from importlib import metadata
from typing import Optional

#: Packages as pip calls them, with the module that tells their version.
_PACKAGES = {
    "mindspore": "mindspore",
    "numpy": "numpy",
    "pandas": "pandas",
    "protobuf": "google.protobuf",
    "msprec": "msprec._version",
}


@lru_cache(maxsize=1)
def versions() -> dict:
    """Versions of Python and of the packages that a training rests on, by name."""
    found = {"python": platform.python_version()}
    for name, module in _PACKAGES.items():
        # parsing what pip keeps of a package takes milliseconds
        loaded = getattr(sys.modules.get(module), "__version__", None)
        try:
            found[name] = loaded if isinstance(loaded, str) else metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def platform_facts() -> dict:
    """System, machine, processors, and memory in bytes where the system tells it."""
    facts = {"system": platform.system(), "machine": platform.machine(), "cpus": os.cpu_count()}
    try:
        facts["memory_bytes"] = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        facts["memory_bytes"] = None
    return facts


def rank() -> tuple:
    """``(rank, rank_size)`` from the launcher's environment."""
    try:
        size = int(os.environ.get("RANK_SIZE") or os.environ.get("MS_WORKER_NUM") or 1)
        number = int(os.environ.get("RANK_ID") or os.environ.get("MS_NODE_ID") or 0)
    except ValueError:
        return 0, 1
    return number, size


def parallel_facts(gradients_reduced: Optional[bool]) -> dict:
    """The entry ``parallel`` of ``run.json`` as the context is now."""
    from mindspore import context

    mode = str(context.get_auto_parallel_context("parallel_mode"))
    broadcast = bool(context.get_auto_parallel_context("parameter_broadcast"))
    return {"mode": mode, "parameter_broadcast": broadcast, "gradients_reduced": gradients_reduced}


def current_mode() -> str:
    """``graph`` or ``pynative``, as MindSpore's context says now."""
    from mindspore import context

    return "graph" if context.get_context("mode") == context.GRAPH_MODE else "pynative"


def reading_waits() -> bool:
    """Whether reading a tensor waits for operators that were launched before: in PyNative mode, unless each is waited for."""
    return current_mode() == "pynative" and os.environ.get("MS_DEV_LAUNCH_BLOCKING") != "1"


def device_target() -> str:
    from mindspore import context

    return context.get_context("device_target")
