"""What is made once for an object and held for the last few of them."""

from typing import Callable

#: So many networks, cells and scalers of a run are held.
MOST_KEPT = 6


class KeptFew:
    """``make(key)``, made once for each of the last `MOST_KEPT` keys; they are held, so that an id stays its own."""

    def __init__(self, make: Callable) -> None:
        self._make, self._kept = make, {}

    def of(self, key):
        if id(key) not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[id(key)] = (key, self._make(key))
        return self._kept[id(key)][1]
