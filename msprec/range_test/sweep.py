"""The range test on a script that nobody has changed: its own training, at rates that grow, until the sweep is over."""

import math
from typing import Callable, Optional

from msprec.errors import SweepDone
from msprec.range_test.lr_curve import Curve, rates_of
from msprec.range_test.lr_setter import RateSetter
from msprec.runtime import hook_points

#: Where ``save_checkpoint`` is looked up by those who call it.
_SAVERS = (
    "save_checkpoint",
    "save_checkpoint_train",
    "save_checkpoint_serialization",
    "save_checkpoint_callback",
)


class Sweep:
    """Drives the learning rate of an observed script; `StepObserver` calls `before` at each update.

    Checkpoints are not written meanwhile: the weights at the end of a sweep are worth nothing, and would take the place
    of good ones.

    Args:
        low, high: First and last rate.
        steps: How many steps.
        linear: Whether the rates grow by equal steps.
        progress: Called with the number of steps done.

    Raises:
        ValueError: The rates make no sweep.
    """

    def __init__(
        self, low: float, high: float, steps: int, linear: bool = False, progress: Optional[Callable] = None
    ) -> None:
        self._rates, self.progress = rates_of(low, high, steps, linear), progress or (lambda done: None)
        self._setters, self._recorder, self._optimizer = {}, None, None
        self._begun, self._written, self._losses, self.overflows, self.skipped = 0, 0, {}, 0, 0
        self.optimizer, self.used = None, None
        #: Why the rate could not be set, which ends the sweep; ``None``: it could
        self.failure: Optional[str] = None

    def install(self, patches, recorder) -> None:
        """Listens to the rows of ``recorder`` and keeps checkpoints from being written."""
        self._recorder = recorder
        recorder.add_listener(self._rows)
        recorder.add_filler(self._rate_of)
        for name in _SAVERS:
            found = hook_points.find(name)
            if found is not None:
                patches.wrap(found.owner, found.attribute, self._unsaved)

    def before(self, optimizers: list) -> None:
        """A step that updates with ``optimizers`` begins.

        Raises:
            SweepDone: The sweep is over; it ends the script.
        """
        if not optimizers:
            return
        if self._optimizer is None:
            self._optimizer = optimizers[0]
            self.optimizer = type(optimizers[0]).__name__
        if optimizers[0] is self._optimizer:
            self._recorder.flush()
            if self._begun >= len(self._rates) or self._diverged():
                raise SweepDone
            self._begun += 1
            self.progress(self._begun)
        try:
            self._set(float(self._rates[max(0, self._begun - 1)]), optimizers)
        except Exception as error:  # whatever it is, the steps to come would be at a rate that nobody asked for
            self.failure = f"{type(error).__name__}: {error}".splitlines()[0]
            raise SweepDone from error

    def _set(self, rate: float, optimizers: list) -> None:
        for optimizer in optimizers:
            setter = self._setters.get(id(optimizer))
            if setter is None:
                setter = self._setters[id(optimizer)] = RateSetter(optimizer)
                self.used = setter.used if optimizer is self._optimizer else self.used
            setter.set(rate)

    def curve(self) -> Curve:
        """The losses so far by rate."""
        losses = [self._losses.get(step, math.nan) for step in sorted(self._losses)]
        count = min(len(losses), self._begun)
        return Curve(self._rates[:count], losses[:count], float(self._rates[0]), float(self._rates[-1]))

    @property
    def asked(self) -> int:
        """Steps of the whole sweep."""
        return len(self._rates)

    def _rate_of(self, row: dict) -> None:
        """Puts the rate that was set into the row of its step."""
        if self._written < self._begun:
            row["lr"] = float(self._rates[self._written])
            self._written += 1

    def _rows(self, rows: list) -> None:
        for row in rows:
            if "loss" in row:
                self._losses[row["step"]] = row["loss"]
            self.overflows += bool(row.get("overflow"))

    def _diverged(self) -> bool:
        if not self._losses:
            return False
        last = self._losses[max(self._losses)]
        return not math.isfinite(last) or (len(self._losses) > 10 and self.curve().diverged is not None)

    def _unsaved(self, original):
        def save_checkpoint(*args, **kwargs) -> None:
            self.skipped += 1

        return save_checkpoint
