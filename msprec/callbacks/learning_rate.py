"""The learning rate of each step: constant, a list, a schedule, by group, or set by a callback or scheduler."""

import time
from typing import Optional

import numpy as np

from msprec.record.step_recorder import to_number
from msprec.runtime.hook_points import CONSTANT_RATE, LISTED_RATE
from msprec.runtime.tensor_snapshot import snapshot

#: Callbacks of MindSpore that set the optimizer's learning rate.
_SETTERS = frozenset(("LearningRateScheduler", "ReduceLROnPlateau"))
#: Updates that a schedule is computed for in one call, and the share of the run that single calls may take.
BLOCK, SHARE = 1024, 0.005
#: So many readings of the same number in a row, and a rate that anything may set is taken to be set seldom.
STEADY = 8
#: Steps from one reading to the next of what went as expected so often, where reading would wait for the device.
SELDOM = 8


class LearningRate:
    """Follows one optimizer's learning rate; of several groups, the first one's.

    A constant one gives its value. Where anything may set it (a callback, a scheduler of
    ``mindspore.experimental.optim``), it is read before each step. A list and a schedule give their entry at the
    optimizer's own count of updates, ``global_step``, which a skipped or accumulating step does not advance; the
    schedule is the optimizer's own cell, called outside the training when the rows are written, for many updates at
    once where it allows that. A schedule that holds parameters is not called.

    Args:
        optimizer: The optimizer, before the first step, or ``None``.
        callbacks: The callbacks of this training; ``None``: anything may set the rate at any time.
    """

    def __init__(self, optimizer, callbacks=()) -> None:
        self._counter = getattr(optimizer, "global_step", None)
        self.groups = _groups(optimizer)
        self._source = self.groups[0] if self.groups else None
        self._constant = self._count = None
        self._same = 0
        #: Readings so far, steps since the last, and the readings that found something else than expected
        self._readings, self._since = 0, 0
        self._surprises: set[int] = set()
        self._may_change = callbacks is None or any(_may_set_rate(callback) for callback in callbacks)
        if isinstance(self._source, Constant):
            self._constant = to_number(self._source.value())
        counts = self._source is not None and self._counter is not None
        #: Whether `before` has something to read
        self.reads = self._may_change if isinstance(self._source, Constant) else counts

    @property
    def kind(self) -> str:
        """``"constant"``, ``"list"``, ``"schedule"``, ``"groups"``, or ``"none"`` where there is no optimizer."""
        if len(self.groups) > 1:
            return "groups"
        return self._source.kind if self._source is not None else "none"

    def before(self, anew: bool = True) -> None:
        """Call it before a step. ``anew`` False: it may be read at every `SELDOM`-th step only, once it is `steady`."""
        if not self.reads:
            return
        self._since += 1
        if not anew and self.steady and self._since < SELDOM:
            return
        if isinstance(self._source, Constant):
            self.still()
            return
        before, self._count = self._count, snapshot(self._counter)
        self._note(isinstance(self._count, int) and before is not None and self._count == before + self._since)

    @property
    def steady(self) -> bool:
        """Whether `STEADY` readings in a row found a constant rate as it was, or each step counted as an update."""
        return self._same >= STEADY

    def still(self) -> bool:
        """Reads a constant rate once more; whether it is the number that it was."""
        value = snapshot(self._source.value()) if self._source is not None else None
        same = isinstance(value, (int, float)) and value == self._constant
        self._constant = value
        self._note(same)
        return same

    def _note(self, expected: bool) -> None:
        self._readings, self._since = self._readings + 1, 0
        if not expected and self.steady:
            self._surprises.add(self._readings)
        self._same = self._same + 1 if expected else 0

    def was_expected(self, reading: int) -> bool:
        """Whether the reading after that of this number finds what was expected; a constant rate is read now where it was not."""
        if self._readings == reading and isinstance(self._source, Constant):
            self.still()
        return reading + 1 not in self._surprises

    def fields(self, count: Optional[int] = None) -> dict:
        """The ``lr`` of the step that `before` was called for, for `StepRecorder.put`; empty where it is not known.

        ``count``: of a later step of the same sink, by the optimizer's count of updates before it.
        """
        if self._constant is not None:
            return {"lr": Unread(self, self._readings, self._constant) if self._since else self._constant}
        if count is None and self._since and self._count is not None:
            return {"lr": Unread(self, self._readings, Later(self._source, self._count + self._since))}
        count = self._count if count is None else count
        return {} if count is None else {"lr": Later(self._source, count)}

    def forget(self) -> None:
        """Steps are left out from here on (a sink), so that the count before a step is no longer seen."""
        if not isinstance(self._source, Constant):
            self._source, self.reads = None, False
        self._count = None


class Unread:
    """A rate that was not read before its step, as it had gone as expected for long: known where it still did at the next
    reading."""

    def __init__(self, rate: LearningRate, reading: int, value) -> None:
        self._rate, self._reading, self._value = rate, reading, value

    def asnumpy(self):
        """The rate, or None where it is not known."""
        return to_number(self._value) if self._rate.was_expected(self._reading) else None


class Later:
    """A rate that is computed when its row is written."""

    def __init__(self, source, count) -> None:
        self._source, self._count = source, count

    def asnumpy(self):
        """The rate, or None where it is not known."""
        return self._source.at(int(to_number(self._count)))


class Constant:
    """One Parameter or number: ``learning_rate``, or ``lr`` of a group of ``mindspore.experimental.optim``."""

    kind = "constant"

    def __init__(self, holder, key) -> None:
        self._holder, self._key = holder, key

    def value(self):
        return self._holder[self._key]

    def at(self, count: int) -> Optional[float]:
        """The present rate; the count of updates does not matter."""
        value = self.value()
        return None if value is None else to_number(value)


class Listed:
    """A list: one rate an update. What MindSpore takes beyond its end depends on the device: not known."""

    kind = "list"

    def __init__(self, values) -> None:
        self._values = np.asarray(values, dtype=np.float64).reshape(-1)

    def __len__(self) -> int:
        return len(self._values)

    def at(self, count: int) -> Optional[float]:
        """The rate of the update after ``count`` updates."""
        return float(self._values[count]) if 0 <= count < len(self._values) else None


class Scheduled:
    """A ``LearningRateSchedule``."""

    kind = "schedule"

    def __init__(self, cell) -> None:
        self._cell, self._first, self._block = cell, 0, np.empty(0)
        self._in_blocks, self._closed = True, any(True for _ in cell.get_parameters())
        self._began, self._spent = time.monotonic(), 0.0
        self._last: tuple[Optional[int], Optional[float]] = (None, None)

    @property
    def name(self) -> str:
        return type(self._cell).__name__

    def at(self, count: int) -> Optional[float]:
        """The rate of the update after ``count`` updates; None where it cannot be had, or not in time."""
        if self._closed:
            return None
        if not self._first <= count < self._first + len(self._block) and self._in_blocks:
            self._next_block(count)
        if self._first <= count < self._first + len(self._block):
            return float(self._block[count - self._first])
        return self._single(count)

    def _next_block(self, count: int) -> None:
        """Computes `BLOCK` rates in one call, and believes them if the ends are what single calls give."""
        try:
            block = self._call(np.arange(count, count + BLOCK, dtype=np.int32))
            ends = [self._call(np.array([c], np.int32))[0] for c in (count, count + BLOCK - 1)]
            self._in_blocks = block.shape == (BLOCK,) and ends == [block[0], block[-1]]
        except Exception:
            # a schedule of the user's may be written for one step at a time
            self._in_blocks = False
        if self._in_blocks:
            self._first, self._block = count, block

    def _single(self, count: int) -> Optional[float]:
        if self._last[0] == count:
            return self._last[1]
        began = time.monotonic()
        if self._spent > SHARE * (began - self._began) + 0.1:
            return None
        try:
            value = float(self._call(np.array([count], np.int32))[0])
        except Exception:
            self._closed = True
            return None
        self._spent += time.monotonic() - began
        self._last = (count, value)
        return value

    def _call(self, steps: np.ndarray) -> np.ndarray:
        from mindspore import Tensor

        # construct, not the cell: in graph mode a call of the cell would compile
        return np.asarray(self._cell.construct(Tensor(steps)).asnumpy()).reshape(-1)


def _groups(optimizer) -> list:
    """A source of rates for each group of the optimizer's parameters."""
    groups = getattr(optimizer, "param_groups", None)
    if groups:
        return [Constant(group, "lr") for group in groups]
    rate = getattr(optimizer, "learning_rate", None)
    if rate is None:
        return []
    if getattr(optimizer, "is_group_lr", False):
        return [source for source in map(_source, rate) if source is not None]
    source = _source(rate)
    return [] if source is None else [source]


def _source(rate):
    if hasattr(rate, "asnumpy") or isinstance(rate, (int, float)):
        return Constant({"rate": rate}, "rate")
    if type(rate).__name__ == LISTED_RATE:
        return Listed(rate.learning_rate.asnumpy())
    if type(rate).__name__ == CONSTANT_RATE:
        return Constant({"rate": getattr(rate, "learning_rate", None)}, "rate")
    return Scheduled(rate) if hasattr(rate, "construct") and hasattr(rate, "get_parameters") else None


def _may_set_rate(callback) -> bool:
    package = type(callback).__module__.split(".")[0]
    if package == "mindspore":
        return type(callback).__name__ in _SETTERS
    return package != "msprec"
