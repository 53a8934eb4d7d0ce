"""Seeds, contexts and the kind of parallel training that the script sets."""

import sys

from msprec.runtime import hook_points
from msprec.runtime.active_observer import records
from msprec.runtime.environment import parallel_facts
from msprec.runtime.source_locations import outside_place


class EnvironmentObserver:
    """Seeds, contexts and the kind of parallel training set by the script."""

    def __init__(self) -> None:
        self.seeds, self.contexts = [], []
        self.parallel, self.reducers = None, 0
        #: Whether reducers divide by the number of ranks; of several that differ, whether all do
        self.means = None

    def training(self) -> None:
        """Something new trains: looks at the context, which the script may reset later."""
        # MindSpore's cells make one where the context says data parallel; users' loops make it themselves
        self.parallel = {**parallel_facts(True if self.reducers else None), "gradients_mean": self.means}

    def _watch_reducer(self, original):
        communication = hook_points.value("world_group")

        def __init__(reducer, *args, **kwargs):
            original(reducer, *args, **kwargs)
            group = kwargs.get("group", args[4] if len(args) > 4 else None)
            # ranks of a smaller group are a model of their own
            self.reducers += group in (None, getattr(communication, "WORLD_COMM_GROUP", None))
            mean = getattr(reducer, "mean", None)
            if isinstance(mean, bool):
                self.means = mean and self.means is not False

        return __init__

    def install(self, patches) -> None:
        patches.hook("set_seed", _watcher("set_seed", self.seeds))
        for name in ("set_context", "set_auto_parallel_context", "set_device", "set_deterministic"):
            patches.hook(name, _watcher(name, self.contexts))
        patches.hook("gradient_reducer", self._watch_reducer)
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
            place = outside_place(2) if records() else None
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
