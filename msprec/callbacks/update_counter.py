"""How many updates an optimizer makes."""

from typing import Any, Optional

from msprec.record.step_recorder import to_number


class Updates:
    """Counts an optimizer's updates over one or more trainings by its ``global_step``, which only an update advances."""

    def __init__(self) -> None:
        self._counter: Any = None
        self._made: Optional[int] = 0
        #: The count when the present training began; None where an optimizer does not count.
        self.before: Optional[int] = None

    def begin(self, optimizer) -> None:
        """A training with ``optimizer`` (or ``None``) begins. Reads from the device."""
        self.end()
        self._counter = getattr(optimizer, "global_step", None)
        if self._counter is None:
            self._made = self.before = None
        else:
            self.before = int(to_number(self._counter))

    def end(self) -> None:
        """The training is over."""
        self._made, self._counter = self.made(), None

    def made(self) -> Optional[int]:
        """Updates made so far; ``None`` where an optimizer does not count. Reads from the device."""
        if self._made is None or self._counter is None or self.before is None:
            return self._made
        return self._made + int(to_number(self._counter)) - self.before
