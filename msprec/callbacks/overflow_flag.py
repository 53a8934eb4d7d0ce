"""Which output of a training cell is the overflow flag, where its own construct puts out several, none, or its
opposite; and where a cell has no loss scale, whether what it puts out is a flag at all."""

import math
from typing import Any, Optional

from msprec.record.step_recorder import to_number


class FlagFinder:
    """Tells the overflow of each step from the bool outputs of a training cell with a dynamic scale.

    Where the scale falls in a step, the step overflowed, and where it grows, it did not: outputs that contradict this
    are no overflow flag; one that is always the opposite is read as "all finite". Where no bool output is left or there
    is none, the scale itself tells: a fall is an overflow, and at its floor it is not known.

    Args:
        floor: The lowest value of the scale, or ``None``.
        stock: Whether the scale follows MindSpore's own rule, by which every overflow above the floor lowers it. Then a
            scale that stays tells that there was none.
    """

    def __init__(self, floor: Optional[float], stock: bool) -> None:
        self._floor, self._stock = floor, stock
        self._ruled_out: set = set()

    def later(self, flags: list, before, after) -> "FlagLater":
        """The overflow of a step with these bool outputs and the scale before and after it, for `StepRecorder.put`."""
        return FlagLater(self, flags, before, after)

    def overflow(self, flags: list, before: Optional[float], after: Optional[float]) -> Optional[bool]:
        """The same from plain values; call it in the steps' order."""
        told = self._by_scale(before, after)
        values = {(place, opposite): flag != opposite for opposite in (False, True) for place, flag in enumerate(flags)}
        if told is not None and before != after:
            self._ruled_out |= {one for one, value in values.items() if value != told}
        left = [one for one in values if one not in self._ruled_out]
        if not left:
            return told if told is not None or not flags else flags[0]
        agreeing = [one for one in left if values[one] == told]
        return values[(agreeing or left)[0]]

    def _by_scale(self, before: Optional[float], after: Optional[float]) -> Optional[bool]:
        if before is None or after is None or not (math.isfinite(before) and math.isfinite(after)):
            return None
        if before != after:
            return after < before
        return False if self._stock and (self._floor is None or before > self._floor) else None


class UpdateFlagFinder:
    """Tells whether the bool output of a training cell without a loss scale is an overflow flag.

    A cell may as well put out what its optimizer gave, which is True at each update. So a True is believed only once the
    output was the opposite of "updated": False in a step that updated the weights, or True in one that left them. Where
    the optimizer keeps no count of its updates, one False is asked for. Until then the overflow of a step is not known.
    """

    def __init__(self) -> None:
        self._believed = self._counted = False

    def later(self, flags: list, before, after) -> "FlagLater":
        """The overflow of a step with these bool outputs and the optimizer's count of updates before and after it."""
        return FlagLater(self, flags, before, after)

    def overflow(self, flags: list, before: Optional[float], after: Optional[float]) -> Optional[bool]:
        """The same from plain values; call it in the steps' order. The first of the flags is the one that is read."""
        flag, known = flags[0], before is not None and after is not None
        updated = known and after != before
        self._counted = self._counted or updated
        if self._counted:
            self._believed = self._believed or (known and flag != updated)
        else:
            self._believed = self._believed or not flag
        return flag if self._believed else None


class FlagLater:
    """An overflow that is worked out when its row is written, so that no step waits for the device."""

    def __init__(self, finder, flags: list, before, after) -> None:
        self._finder, self._read = finder, False
        self._given: Any = (flags, before, after)
        self._value: Optional[bool] = None

    def asnumpy(self) -> Optional[bool]:
        """The overflow, worked out the first time; ``None`` where it is not known."""
        if not self._read:
            flags, before, after = self._given
            values = [bool(to_number(flag)) for flag in flags]
            self._value, self._read = self._finder.overflow(values, to_number(before), to_number(after)), True
            self._given = None
        return self._value
