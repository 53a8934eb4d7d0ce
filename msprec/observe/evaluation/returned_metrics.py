"""What the script's own functions return that call a network outside training: validation in plain Python.

A function is listened to from its first call of a network to its end, through `instrumented_functions`: nothing of Python's
is replaced for it, and nothing is listened to while the script trains.
"""

import sys
import threading
from typing import Any, Callable, Optional

import numpy as np

from msprec.observe.data.datasets import to_array
from msprec.observe.data.sample_order import sample_keys
from msprec.observe.evaluation.instrumented_functions import hands_over, listen
from msprec.observe.evaluation.returned_names import name_of
from msprec.runtime.source_locations import place_of_code

_MOST, _MOST_VALUES = 4000, 12
#: A function in which the script trained so often is not listened to any more.
_TRAINS = 3


class ReturnObserver:
    """One entry for each return of a function that called a network since the training step before.

    ``also(frame)`` is called with the frame of each function listened to that returns.
    """

    def __init__(self, observer, also: Optional[Callable] = None) -> None:
        self.observer, self._also = observer, also
        self.found, self.silent = [], {}
        self.watched, self.trained_in, self.data = {}, {}, {}
        self.step = None

    def called(self, inputs: list, depth: int) -> None:
        """A network was called outside training and outside `Model`; ``inputs``: what it was given."""
        steps = self.observer.steps.updated
        if not steps or len(self.found) >= _MOST or threading.current_thread() is not threading.main_thread():
            return
        caller = sys._getframe(depth)
        if self.step != steps:
            self._forget(caller)
        frames = self._functions(caller)
        if all(self._watches(frame) for frame in frames):
            return
        self.step = steps
        data = self.data_of(inputs)
        # those not running any more were ended by an exception
        known = {id(frame): self.watched[id(frame)] for frame in frames if self._watches(frame)}
        new = {id(frame): (len(self.found), data, frame.f_code) for frame in frames}
        self.watched = {**new, **known}
        listen(self._returns)

    def _watches(self, frame) -> bool:
        known = self.watched.get(id(frame))
        return known is not None and known[2] is frame.f_code

    def _functions(self, frame) -> list:
        """The running functions that hand over what they return, innermost first."""
        found = []
        while frame is not None:
            if hands_over(frame.f_code) and self.trained_in.get(frame.f_code, 0) < _TRAINS:
                found.append(frame)
            frame = frame.f_back
        return found

    # --- what the functions tell ---------------------------------------------------------------------------------------
    def _returns(self, frame, value: Any) -> None:
        if self._watches(frame):
            self.observer.guarded_call(self._returned, frame, value)

    def _returned(self, frame, value: Any) -> None:
        if self._also is not None:
            self._also(frame)
        if self.observer.steps.updated != self.step:
            self._forget(frame)
            return
        start, data, code = self.watched.pop(id(frame))
        back = frame.f_back
        caller = (back.f_code.co_filename, back.f_lineno) if back is not None else None
        metrics = {}
        listed, count = _numbers(value)
        for position, key, number in listed:
            # of two by one name, such as the share of right digits and of right numbers, the first is what it is about
            metrics.setdefault(name_of(code, caller, position, count, key), number)
        if metrics:
            del self.found[start:]  # what the functions within it gave is in what it gives
            self.found.append((self.step, self.observer.datasets.epoch, metrics, data, code, caller))
        elif value is None:
            self.silent[code] = self.silent.get(code, 0) + 1
        if not self.watched:
            listen(None)

    def _forget(self, frame) -> None:
        """Of functions that still run though the script has trained on, it is noted that it trains in them; an exception
        has ended the others."""
        while frame is not None:
            if self._watches(frame):
                self.trained_in[frame.f_code] = self.trained_in.get(frame.f_code, 0) + 1
            frame = frame.f_back
        self.watched = {}
        listen(None)

    # --- the data --------------------------------------------------------------------------------------------------------
    def data_of(self, inputs: list) -> Optional[tuple]:
        """``("dataset", number)``, ``("arrays", fingerprint)``; None for what training was fed with, or where that is open."""
        datasets = self.observer.datasets
        if datasets.since_step and datasets.last is not None:
            return None if datasets.last.steps else ("dataset", datasets.last.number)
        for value in inputs:
            array = to_array(value) if hasattr(value, "asnumpy") else None
            if array is not None and array.ndim > 1 and len(array) and array.dtype.kind in "fiub":
                keys = sample_keys(array)
                known = datasets.is_trained_on(keys)
                return None if known is None or known else ("arrays", int(keys.sum(dtype=np.uint64)))
        return None

    def facts(self) -> list:
        """Entries of ``evaluation.json``: of data sets that training was not fed with, and of arrays that come again."""
        records = {record.number: record for record in self.observer.datasets.records}
        often = {}
        for _, _, _, data, code, caller in self.found:
            often[code, caller, data] = often.get((code, caller, data), 0) + 1
        entries = {}
        for step, epoch, metrics, data, code, caller in self.found:
            if data is None or (data[0] == "dataset" and records[data[1]].steps):
                continue
            if data[0] == "arrays" and often[code, caller, data] < 2:
                continue
            entry = entries.setdefault((step, code, caller, data), (epoch, {}))
            for name, value in metrics.items():
                entry[1].setdefault(name, []).append(value)
        return [
            {
                "step": step,
                "epoch": epoch,
                "metrics": {name: float(np.mean(values)) for name, values in found.items()},
                "place": place_of_code(code),
                "via": "function",
                "dataset": data[1] if data[0] == "dataset" else None,
            }
            for (step, code, _, data), (epoch, found) in entries.items()
        ]

    def without_result(self) -> list:
        """Places of the functions that evaluate and return nothing, the most often called first."""
        told = {code for _, _, _, _, code, _ in self.found}
        names = sorted((code for code in self.silent if code not in told), key=lambda code: -self.silent[code])
        return [place for place in map(place_of_code, names[:8]) if place]


def _numbers(value: Any) -> tuple:
    """``([(position, key, number)], how many values)`` of a returned number, or of a tuple, list or dictionary with some."""
    if isinstance(value, dict):
        parts = [(number, str(key), part) for number, (key, part) in enumerate(value.items())]
    elif isinstance(value, (tuple, list)):
        parts = [(number, None, part) for number, part in enumerate(value)]
    else:
        number = number_of(value)
        return ([(None, None, number)] if number is not None else []), 1
    if len(parts) > _MOST_VALUES:
        return [], len(parts)
    known = [(position, key, number_of(part)) for position, key, part in parts]
    return [one for one in known if one[2] is not None], len(parts)


def number_of(value: Any) -> Optional[float]:
    """The number that a value is, a tensor or array of one element included; None for anything else."""
    if isinstance(value, (bool, np.bool_, str, bytes)):
        return None
    if isinstance(value, (int, float, np.integer, np.floating)):
        return float(value)
    if (isinstance(value, np.ndarray) or hasattr(value, "asnumpy")) and getattr(value, "size", 0) == 1:
        array = value if isinstance(value, np.ndarray) else value.asnumpy()
        return float(array.reshape(-1)[0]) if array.dtype.kind in "fiu" else None
    return None
