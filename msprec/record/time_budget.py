"""A share of the run's time that looking at it may take."""

import time
from contextlib import contextmanager


class Budget:
    """Decides whether something that costs time is done again, so that it keeps to its share of the run.

    Args:
        share: Share of the time since the budget was made that may be spent.
        grace: Seconds that are free.
        cost: Seconds that the first time is reckoned with; later the last time counts.
    """

    def __init__(self, share: float, grace: float = 0.0, cost: float = 0.0) -> None:
        self._share, self._grace, self._cost = share, grace, cost
        self._began, self.spent = time.monotonic(), 0.0

    def due(self) -> bool:
        """Whether doing it once more would keep to the share."""
        return self.spent + self._cost <= self._grace + self._share * (time.monotonic() - self._began)

    def due_at(self) -> float:
        """When it is `due` by a share that is not 0, by `time.monotonic`, if nothing more is spent before."""
        return self._began + (self.spent + self._cost - self._grace) / self._share

    @contextmanager
    def spending(self):
        """What runs inside is paid from the budget."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._cost = time.monotonic() - began
            self.spent += self._cost
