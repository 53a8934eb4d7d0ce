"""The learning rate of each step, where it can be had without asking the device to compute anything."""

from msprec.callbacks.tensors import snapshot
from msprec.record.steps import to_number

#: Callbacks of MindSpore that set the optimizer's learning rate.
_SETTERS = frozenset(("LearningRateScheduler", "ReduceLROnPlateau"))


class LearningRate:
    """Follows one optimizer's learning rate.

    A constant one gives its value; where a callback may set it, its value before each step; a list gives the entry of
    the optimizer's own step count, which a skipped update does not advance. Schedules computed by a cell and rates by
    group are left out.

    Args:
        optimizer: The optimizer, before the first step, or ``None``.
        callbacks: The callbacks of this training.
    """

    def __init__(self, optimizer, callbacks=()) -> None:
        self._constant = self._watched = self._values = None
        self._counter, self._next = None, 0
        rate = getattr(optimizer, "learning_rate", None)
        if rate is None or getattr(optimizer, "is_group_lr", False):
            return
        if hasattr(rate, "asnumpy"):
            self._constant = to_number(rate)
            if any(_may_set_rate(callback) for callback in callbacks or ()):
                self._watched = rate
        elif type(rate).__name__ == "_IteratorLearningRate":
            self._values = [float(value) for value in rate.learning_rate.asnumpy()]
            self._counter = getattr(optimizer, "global_step", None)
            self._next = None if self._counter is None else int(to_number(self._counter))

    def before(self) -> None:
        """Call it before a step."""
        if self._watched is not None:
            self._constant = snapshot(self._watched)

    def fields(self) -> dict:
        """The ``lr`` of the step that has just run, for `StepRecorder.put`; empty where a list gives it or nothing
        does."""
        return {} if self._constant is None else {"lr": self._constant}

    def fill(self, row: dict) -> None:
        """Adds ``lr`` to a row of plain numbers where the rate is a list; rows come in step order, none left out."""
        if self._values is None or self._next is None:
            return
        if self._next < len(self._values):
            row.setdefault("lr", self._values[self._next])
        if not row.get("overflow"):
            self._next += 1

    def check(self, skipped: bool) -> None:
        """Call it after the first step: a list is given up where the optimizer does not count one for each step
        (accumulation)."""
        if self._counter is not None and self._next is not None:
            if int(to_number(self._counter)) != self._next + (0 if skipped else 1):
                self._next = None
            self._counter = None

    def forget(self) -> None:
        """Steps are left out from here on, so that a list can no longer be followed."""
        self._next = self._counter = None


def _may_set_rate(callback) -> bool:
    package = type(callback).__module__.split(".")[0]
    if package == "mindspore":
        return type(callback).__name__ in _SETTERS
    return package != "msprec"
