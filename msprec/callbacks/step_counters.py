"""Counting over the rows of ``steps.csv`` as they are written: plain numbers in, events and sums out. No MindSpore."""

import math
from array import array
from typing import Any, Callable, Optional

from msprec.record.overflow_rules import FLAG, LOSS, ends_search, overflow_of
from msprec.record.step_times import analyse
from msprec.record.writer import warn_once

#: An overflow streak of so many steps is an event.
STREAK = 3
#: So many updates in a row that a fixed scale has skipped are told while the training runs.
SKIPPED = 8


class ScaleTally:
    """Overflows and the course of the loss scale; a listener for `StepRecorder.add_listener`.

    Args:
        event: Called as ``event(name, step, **fields)`` for ``overflow_streak`` (3 or more), ``scale_floor``,
            ``scale_nonfinite``; updates that a fixed scale skips again and again are one line of warning. ``None``: only
            count.
    """

    def __init__(self, event: Optional[Callable] = None) -> None:
        self._event = event
        self._facts: dict[str, Any] = {"kind": "none"}
        self.steps = self.flagged = self.known = self.overflows = self.longest = 0
        self.first: Optional[int] = None
        self.last: Optional[int] = None
        self.final_scale: Optional[float] = None
        self.settled: Optional[int] = None
        self._settled_known = self._settled_overflows = 0
        self.overflowed = array("q")
        self.floor_reached = False
        self._streak_from: Optional[int] = None
        self._streak_to: Optional[int] = None
        self._streak = 0
        self._at_floor = self._scale_lost = False

    def starts(self, facts: dict) -> None:
        """A training begins whose scaling is described by `outputs.loss_scale_facts`."""
        # kept, not copied: what the outputs are is only known after the first step
        self._facts = facts

    @property
    def kind(self) -> Optional[str]:
        """``"dynamic"``, ``"fixed"`` or ``"none"``."""
        return self._facts.get("kind")

    @property
    def floor(self) -> Optional[float]:
        """The lowest value that a dynamic scale can take."""
        return self._facts.get("floor")

    @property
    def source(self) -> Optional[str]:
        """Where overflows are read, one of `msprec.record.overflow_rules`'s."""
        return self._facts.get("overflow_from")

    def __call__(self, rows: list) -> None:
        for row in rows:
            self._row(row)

    def end_streak(self) -> None:
        """The training ends: tells a streak that is still open."""
        if self._event is not None and self._streak >= STREAK:
            self._event(
                "overflow_streak", self._streak_to, first=self._streak_from, last=self._streak_to, length=self._streak
            )
        self._streak = 0

    close = end_streak

    def summary(self) -> dict:
        """See `LossScaleMonitor.summary`."""
        return {
            "steps": self.steps,
            "flagged_steps": self.flagged,
            "overflow_from": self._source(),
            "overflows": self.overflows,
            "overflow_rate": _share(self.overflows, self.known),
            "settled_step": self.settled,
            "settled_rate": _share(self._settled_overflows, self._settled_known),
            "longest_streak": self.longest,
            "first_overflow": self.first,
            "last_overflow": self.last,
            "kind": self.kind,
            "final_scale": self.final_scale,
            "floor": self.floor,
            "floor_reached": self.floor_reached,
        }

    def _source(self) -> Optional[str]:
        """Where the overflows were read; a flag that came though none was expected (a loop's own) counts."""
        if self.flagged:
            return self.source if self.source not in (None, LOSS) else FLAG
        return LOSS if self.known else None

    def _row(self, row: dict) -> None:
        step, scale = row["step"], row.get("next_scale")
        self.steps += 1
        self.flagged += row.get("overflow") is not None
        overflow = overflow_of(row, self.source)
        if overflow is not None:
            self._judge(step, overflow)
        if scale is not None:
            self.final_scale = scale
            self._scale(step, bool(overflow), scale)

    def _judge(self, step: int, overflow: bool) -> None:
        self.known += 1
        if self.settled is None and ends_search(self.kind, overflow):
            self.settled = step
        if self.settled is not None:
            self._settled_known += 1
            self._settled_overflows += overflow
        if overflow:
            self._overflow(step)
        else:
            self.end_streak()

    def _overflow(self, step: int) -> None:
        self.overflows += 1
        self.overflowed.append(step)
        self.first, self.last = self.first or step, step
        if not self._streak:
            self._streak_from = step
        self._streak += 1
        self._streak_to = step
        self.longest = max(self.longest, self._streak)
        if self._streak == SKIPPED and self._event is not None:
            self._warn_of_skips()

    def _warn_of_skips(self) -> None:
        """A fixed scale stays where it is, and what overflows now will overflow again."""
        scale = self._facts.get("initial")
        if self.kind == "fixed" and self._facts.get("drop_overflow_update") and scale:
            told = f"2**{int(math.log2(scale))}" if math.log2(scale).is_integer() else f"{scale:g}"
            warn_once(
                self,
                f"{self.overflows} of {self.known} updates skipped, {SKIPPED} in a row: loss scale fixed at {told}",
            )

    def _scale(self, step: int, overflow: bool, scale: float) -> None:
        lost = not math.isfinite(scale)
        if lost and not self._scale_lost and self._event is not None:
            self._event("scale_nonfinite", step, scale=scale)
        self._scale_lost = lost
        if self.floor is None or not scale <= self.floor:
            self._at_floor = False
        elif overflow and not self._at_floor:
            self._at_floor = self.floor_reached = True
            if self._event is not None:
                self._event("scale_floor", step, scale=scale)


def _share(part: int, whole: int) -> Optional[float]:
    return part / whole if whole else None


class FirstNonFinite:
    """Tells the first step whose loss is NaN or infinite, by an event and one line of warning; a listener."""

    def __init__(self, event: Callable, warn: bool = True) -> None:
        self._event, self._warn = event, warn
        self.step: Optional[int] = None
        self.value: Optional[float] = None

    def __call__(self, rows: list) -> None:
        if self.step is None:
            for row in rows:
                if not math.isfinite(row.get("loss", 0.0)):
                    self.found(row["step"], row["loss"])
                    return

    def found(self, step: int, value: float) -> None:
        """Tells ``step``, the first time."""
        if self.step is not None:
            return
        self.step, self.value = step, value
        self._event("first_nonfinite", step, what="loss", value=value)
        if self._warn:
            warn_once(self, f"the loss is {value} at step {step}, the first time in this run")


class FirstBadGradient:
    """Tells the first step whose gradients overflow though the scale is 1 or less, or none; a listener."""

    def __init__(self, event: Callable, warn: bool = True) -> None:
        self._event, self._warn = event, warn
        self.step = None

    def __call__(self, rows: list) -> None:
        if self.step is not None:
            return
        for row in rows:
            if row.get("overflow") and row.get("scale", 1.0) <= 1:
                self.step = row["step"]
                self._event("first_nonfinite", self.step, what="gradient", scale=row.get("scale"))
                if self._warn:
                    warn_once(
                        self, f"gradients are not finite at step {self.step}, and no loss scale can have caused it"
                    )
                return


class TimeTally:
    """Times of steps in seconds; a listener. ``tail``: seconds at the ends of epochs."""

    def __init__(self) -> None:
        self._columns = {name: array("d") for name in ("seconds", "data_seconds", "callback_seconds", "batch")}
        self.tail, self._first_sink, self._merged = 0.0, None, 0

    def __call__(self, rows: list) -> None:
        for row in rows:
            seconds = self._columns["seconds"]
            if not seconds:
                self._first_sink = row.get("sink_from")
            elif self._first_sink is not None and row.get("sink_from") == self._first_sink:
                # a first sink compiles in its first step and shows the mean at each: they are one
                seconds[0] += row.get("seconds", 0.0)
                self._merged += 1
                continue
            for name, values in self._columns.items():
                values.append(row.get(name, math.nan))

    def summary(self) -> dict:
        """See `msprec.record.step_times.analyse`."""
        compute, data, callbacks, batch = self._columns.values()
        found = analyse(compute, data, callbacks, batch, self.tail)
        return {**found, "steps": found["steps"] + self._merged}
