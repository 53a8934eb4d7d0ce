"""What counts as overflow, when a loss scale has settled, and what a loss scaler's state tells of a step: one
definition for monitors and checks. No MindSpore."""

import math
from collections.abc import Iterable
from typing import Optional

import numpy as np

#: Where the overflow of a step is read: a flag that the training step computes; how a dynamic scale changed in the step;
#: whether the optimizer made its update; whether the loss is finite (gradients may overflow unseen).
FLAG, SCALE, UPDATE, LOSS = "flag", "scale", "update", "loss"


def ends_search(kind: Optional[str], overflow: bool) -> bool:
    """Whether a step ends the initial search of a loss scale of this ``kind`` ("dynamic", "fixed", "none").

    A dynamic scale usually starts too high on purpose and is lowered until the first update goes through. Until then
    the weights are the initial ones, so these overflows tell of the starting value and not of the training: the search
    ends with the first step that does not overflow, and from that step on the scale counts as settled. A fixed scale
    does not search: it counts as settled from its first step.
    """
    return kind != "dynamic" or not overflow


def search_length(kind: Optional[str], flags: Iterable) -> int:
    """Steps of the initial search: how many of ``flags`` (overflow of each step) come before `ends_search` holds."""
    length = 0
    for overflow in flags:
        if ends_search(kind, bool(overflow)):
            break
        length += 1
    return length


def overflow_of(row: dict, source: Optional[str]) -> Optional[bool]:
    """The overflow of one row of plain numbers; ``None``: not known.

    The column ``overflow`` where it is filled; else, where ``source`` is ``"loss"``, whether the loss is NaN or infinite.
    """
    if row.get("overflow") is not None:
        return bool(row["overflow"])
    if source == LOSS and row.get("loss") is not None:
        return not math.isfinite(row["loss"])
    return None


class ScalerRule:
    """Tells the overflow of a step from the state of a ``mindspore.amp.DynamicLossScaler`` around it.

    ``adjust`` has two outcomes. After an overflow the scale is ``max(1, scale / factor)`` and the counter 0; otherwise
    the counter is ``(counter + 1) % window``, and the scale is multiplied by the factor where the counter was
    ``window - 1`` and the product is finite. Which of the two is found tells the overflow. A state that has not changed
    is an overflow at the scale's floor of 1, or ``adjust`` was not called: the former is believed where every step so
    far was adjusted.

    Args:
        factor: ``scale_factor`` of the scaler.
        window: ``scale_window`` of the scaler, in steps.
    """

    def __init__(self, factor: float, window: int) -> None:
        self._factor, self._window = np.float32(factor), int(window)
        self._always: Optional[bool] = None

    def overflow(self, before: tuple, after: tuple) -> Optional[bool]:
        """From ``(scale, counter)`` before and after a step; ``None``: the scaler was not adjusted, or more than once."""
        overflowed, finite = self._outcomes(*before)
        found = {True: _same(after, overflowed), False: _same(after, finite)}
        if found[True] and _same(before, after) and not self._always:
            found[True] = False
        if found[True] != found[False]:
            self._always = self._always is not False
            return found[True]
        if _same(before, after):
            self._always = False
        return None

    def _outcomes(self, before: float, counter: float) -> tuple:
        scale = np.float32(before)
        with np.errstate(over="ignore", invalid="ignore"):
            lower, higher = max(np.float32(1), scale / self._factor), scale * self._factor
        grows = int(counter) == self._window - 1 and np.isfinite(higher)
        return (lower, 0), (higher if grows else scale, (int(counter) + 1) % self._window)


def _same(one: tuple, two: tuple) -> bool:
    return np.float32(one[0]) == np.float32(two[0]) and int(one[1]) == int(two[1])
