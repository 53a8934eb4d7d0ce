"""Scores that a script computes in place, without a function that returns them: read where the next training step begins.

A function, or the script itself, that has called a network outside training is looked at once more when it returns or trains
on: the variables that it computed of the network's output have their values then. No frame is held, as what a function has
computed would live on in it.
"""

import inspect
import re
import sys
from typing import Any, NamedTuple, Optional

import numpy as np

from msprec.observe.evaluation.array_comparisons import comparisons_after
from msprec.observe.evaluation.assigned_names import scores_after, value_of
from msprec.observe.evaluation.expression_shapes import shape_of
from msprec.observe.evaluation.returned_metrics import number_of
from msprec.runtime.source_locations import is_user_file, place_in

_MOST = 4000
#: Of a network that takes no inputs, as one of a whole graph, nothing but the name tells of validation.
_HELD_OUT = re.compile(r"val|test|eval|dev|held", re.IGNORECASE)
_NO_INPUTS = ("none", None)


class _Open(NamedTuple):
    """``names``: the variables of the script itself; None: those of a function, which are read from its frame. ``data``: None
    where `Model.predict` gave the outputs, of whose scores the shapes alone are looked at."""

    code: Any
    line: int
    names: Optional[dict]
    data: Any
    epoch: Optional[int]
    samples: int


class AssignedObserver:
    """One entry for each function that evaluated between two training steps, of what it assigned or printed."""

    def __init__(self, observer) -> None:
        self.observer = observer
        self.found, self._open, self._step = [], {}, 0
        #: ``{(file, line): (shape of one side, of the other)}`` of comparisons of (N, 1) and (N,), which give (N, N)
        self._square: dict = {}

    def called(self, frame, step: int, data_of, samples: int = 0) -> None:
        """A network was called outside training, at ``step``; ``data_of()``: which data it was given; ``samples``
        of them: 0, it takes no inputs; -1: how many is not known."""
        frame, known = self._known(frame, step)
        if frame is None:
            return
        if known is not None and known.data is not None:
            self._open[id(frame)] = known._replace(samples=known.samples + max(samples, 0))
            return
        data = data_of() if samples else _NO_INPUTS
        if data is not None:
            self._opens(frame, data, max(samples, 0))

    def predicted(self, frame, step: int) -> None:
        """`Model.predict` gave what a network makes, at ``step``, to a function of the script's or to the script itself."""
        frame, known = self._known(frame, step)
        if frame is not None and known is None:
            self._opens(frame, None, 0)

    def _known(self, frame, step: int) -> tuple:
        """``(the script's frame, its entry or None)``; without a frame where nothing is kept of it, as before the first step."""
        if not step or len(self.found) >= _MOST:
            return None, None
        if self._open and step != self._step:
            self.training_begins()
        self._step = step
        frame = _nearest(frame)
        known = self._open.get(id(frame)) if frame is not None else None
        return frame, known if known is not None and known.code is frame.f_code else None

    def _opens(self, frame, data, samples: int) -> None:
        names = frame.f_globals if frame.f_code.co_name == "<module>" else None
        self._open[id(frame)] = _Open(frame.f_code, frame.f_lineno, names, data, self.observer.datasets.epoch, samples)

    def returns(self, frame) -> None:
        """A function of the script's returns: reads what it computed."""
        known = self._open.pop(id(frame), None)
        if known is not None and known.code is frame.f_code:
            self._read(known, frame.f_locals)

    def training_begins(self) -> None:
        """The script trains on, or ends: reads what those that still run have computed since the step before."""
        if not self._open:
            return
        opened, self._open = self._open, {}
        frame, running = sys._getframe(1), {}
        while frame is not None:
            running[id(frame)] = frame
            frame = frame.f_back
        for key, known in opened.items():
            own = running.get(key)
            if known.names is not None:
                self._read(known, known.names)
            elif own is not None and own.f_code is known.code:
                self._read(known, own.f_locals)

    def _read(self, known: _Open, names: dict) -> None:
        code = known.code
        for line, *sides in comparisons_after(code.co_filename, code.co_firstlineno, code.co_name, known.line):
            shapes = tuple(shape_of(side, names) for side in sides)
            if None not in shapes and sorted(map(len, shapes)) == [1, 2] and _is_square(*sorted(shapes, key=len)):
                self._square.setdefault((code.co_filename, line), shapes)
        if known.data is None:
            return
        scores = scores_after(code.co_filename, code.co_firstlineno, code.co_name, known.line)
        values = {score.name: value_of(score.expression, names, _number) for score in scores}
        told = known.data is not _NO_INPUTS
        metrics = {name: v for name, v in values.items() if v is not None and (told or _HELD_OUT.search(name))}
        if metrics:
            place = place_in(code.co_filename, known.line)
            where = (code, known.line)
            self.found.append((self._step, known.epoch, metrics, known.data, where, place, known.samples))

    def squares(self) -> list:
        """The entry ``squares`` of ``evaluation.json``."""
        self.training_begins()
        return [
            {"place": place_in(file, line), "shapes": [list(shape) for shape in shapes]}
            for (file, line), shapes in self._square.items()
        ]

    def facts(self) -> list:
        """Entries of ``evaluation.json``: of data sets that training was not fed with, and of arrays that come again."""
        self.training_begins()
        records = {record.number: record for record in self.observer.datasets.records}
        often = {}
        for _, _, _, data, where, _, _ in self.found:
            often[where, data] = often.get((where, data), 0) + 1
        return [
            {
                "step": step,
                "epoch": epoch,
                "metrics": metrics,
                "place": place,
                "via": "variable",
                "dataset": data[1] if data[0] == "dataset" else None,
                "samples": samples or None,
            }
            for step, epoch, metrics, data, where, place, samples in self.found
            if not (data[0] == "dataset" and records[data[1]].steps) and (data[0] != "arrays" or often[where, data] > 1)
        ]


def _is_square(row: tuple, column: tuple) -> bool:
    """Whether arrays of these shapes, (N,) and (N, 1), make one of (N, N)."""
    return column[1] == 1 and column[0] == row[0] > 1


def _nearest(frame):
    """The innermost running function of the user's, or the script itself."""
    while frame is not None:
        code = frame.f_code
        plain = code.co_name == "<module>" or not code.co_name.startswith("<")
        if is_user_file(code.co_filename) and plain and not code.co_flags & inspect.CO_COROUTINE:
            return frame
        frame = frame.f_back
    return None


def _number(value: Any) -> Optional[float]:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    return number_of(value)
