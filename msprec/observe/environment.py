"""Versions, platform, seeds and contexts of the run."""

import os
import platform
import sys
from importlib import metadata
from typing import Optional

from msprec.runtime.source_locations import outside_place

_PACKAGES = ("mindspore", "numpy", "pandas", "protobuf", "msprec")


def versions() -> dict:
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
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


class EnvironmentObserver:
    """Seeds, contexts and the kind of parallel training set by the script."""

    def __init__(self) -> None:
        self.seeds, self.contexts = [], []
        self.parallel, self.reducers = None, 0

    def training(self) -> None:
        """Something new trains: looks at the context, which the script may reset later."""
        # MindSpore's cells make one where the context says data parallel; users' loops make it themselves
        self.parallel = parallel_facts(True if self.reducers else None)

    def _watch_reducer(self, original):
        from mindspore.communication import GlobalComm

        def __init__(reducer, *args, **kwargs):
            original(reducer, *args, **kwargs)
            group = kwargs.get("group", args[4] if len(args) > 4 else None)
            self.reducers += group in (
                None,
                GlobalComm.WORLD_COMM_GROUP,
            )  # ranks of a smaller group are a model of their own

        return __init__

    def install(self, patches) -> None:
        import mindspore
        from mindspore import context

        for module, name, store in (
            (mindspore, "set_seed", self.seeds),
            (context, "set_context", self.contexts),
            (context, "set_auto_parallel_context", self.contexts),
            (mindspore, "set_device", self.contexts),
            (mindspore, "set_deterministic", self.contexts),
        ):
            patches.wrap_function(module, name, _watcher(name, store))
        patches.wrap(mindspore.nn.DistributedGradReducer, "__init__", self._watch_reducer)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            patches.wrap(numpy.random, "seed", _watcher("numpy.random.seed", self.seeds))

    def facts(self) -> dict:
        facts = {"seeds": self.seeds, "contexts": self.contexts}
        return facts if self.parallel is None else {**facts, "parallel": self.parallel}


def _simple(args: tuple):
    value = args[0] if args else None
    return value if isinstance(value, (int, float, str, type(None))) else str(value)


def _watcher(name: str, store: list):
    def make(original):
        def wrapper(*args, **kwargs):
            place = outside_place(2)
            if place is not None and len(store) < 64:
                if name.endswith("seed"):
                    function = "mindspore.set_seed" if name == "set_seed" else name
                    store.append({"function": function, "value": _simple(args or (*kwargs.values(),)), "place": place})
                else:
                    given = {**{str(i): str(a) for i, a in enumerate(args)}, **{k: str(v) for k, v in kwargs.items()}}
                    store.append({"function": name, "args": given, "place": place})
            return original(*args, **kwargs)

        return wrapper

    return make


def current_mode() -> str:
    """``graph`` or ``pynative``, as MindSpore's context says now."""
    from mindspore import context

    return "graph" if context.get_context("mode") == context.GRAPH_MODE else "pynative"


def device_target() -> str:
    from mindspore import context

    return context.get_context("device_target")
