"""What the network is called with, in training and outside it: statistics of a sample of the calls."""

import time
from typing import Callable, Optional

import numpy as np

from msprec.observe.data.column_statistics import ColumnStatistics
from msprec.observe.data.datasets import to_array
from msprec.runtime.cells import parameter_names

# every call of the first few, then calls 16, 32, 64, … of each kind; larger arguments are left alone
_ALL_OF_FIRST = 8
_MOST_ENTRIES = 32
_MOST_ARGUMENTS = 6
_LARGEST = 1 << 24
# seconds in all, and share of the run's time beyond them
_GRACE, _SHARE = 1.0, 0.002
_KEPT = ("dtype", "kind", "shape", "varying_shape", "elements", "zeros", "min", "max", "mean", "std", "channels")


class InputObserver:
    """Entries by (phase, how it was called, network, place).

    ``level``: ``step``, what a training step was called with (labels and all); ``network``, what the network itself was.
    """

    def __init__(self) -> None:
        self.entries = {}
        self.spent, self.began = 0.0, time.perf_counter()

    def note(
        self,
        phase: str,
        via: str,
        level: str,
        network,
        args: tuple,
        place: Optional[dict],
        names: Optional[Callable] = None,
    ) -> None:
        """Takes the arguments of one call, if it is one of the sampled.

        ``names()`` gives the arguments' names; without it they are those of the network's ``construct``.
        """
        key = (phase, via, level, type(network).__name__, place and (place["file"], place["line"]))
        entry = self.entries.get(key)
        if entry is None:
            if len(self.entries) >= _MOST_ENTRIES:
                return
            entry = self.entries[key] = {"calls": 0, "sampled": 0, "samples": 0, "columns": {}, "place": place}
        entry["calls"] += 1
        if not self._due(entry["calls"]):
            return
        begin = time.perf_counter()
        self._take(entry, args, names() if names is not None else parameter_names(network))
        self.spent += time.perf_counter() - begin

    def _due(self, calls: int) -> bool:
        wanted = calls <= _ALL_OF_FIRST or calls & (calls - 1) == 0
        return wanted and self.spent < _GRACE + _SHARE * (time.perf_counter() - self.began)

    @staticmethod
    def _take(entry: dict, args: tuple, names: list) -> None:
        entry["sampled"] += 1
        count = None
        for position, value in enumerate(args[:_MOST_ARGUMENTS]):
            if not hasattr(value, "asnumpy") and not isinstance(value, np.ndarray):
                continue
            if getattr(value, "size", 0) > _LARGEST:
                continue
            array = to_array(value)
            if array is None or array.dtype.kind not in "fiub":
                continue
            name = names[position] if position < len(names) else f"input_{position}"
            column = entry["columns"].setdefault(position, ColumnStatistics(name, histograms=False))
            column.add(array, array.ndim > 0, entry["samples"])
            count = count or (array.shape[0] if array.ndim else 1)
        entry["samples"] += count or 0

    def facts(self) -> dict:
        """``inputs.json``."""
        listed = []
        for (phase, via, level, network, _), entry in self.entries.items():
            arguments = []
            for position, column in sorted(entry["columns"].items()):
                found = column.facts()
                arguments.append({"position": position, "name": column.name, **{k: found[k] for k in _KEPT}})
            listed.append(
                {
                    "phase": phase,
                    "via": via,
                    "level": level,
                    "network": network,
                    "place": entry["place"],
                    "calls": entry["calls"],
                    "sampled": entry["sampled"],
                    "samples": entry["samples"],
                    "arguments": arguments,
                }
            )
        return {"inputs": listed}
