"""When the computation of each step of ``Model.train`` begins and ends, whatever the order of the callbacks."""

import time

from msprec.callbacks.base import clock
from msprec.runtime import hook_points

_WATCHED = ("on_train_step_begin", "on_train_step_end", "on_train_epoch_begin", "on_train_epoch_end")


class CallbackTimes:
    """Listens to the manager that calls all callbacks of a training.

    Times are those of `clock`, so that what monitors take is left out. There is one for the process, `times`, however many
    monitors ask.
    """

    def __init__(self) -> None:
        #: ``(class, method, original)`` of what is replaced
        self._originals: list = []
        self._users = 0
        #: When the callbacks were last told of something, and by when all were: ``(time, seconds that monitors took)``
        self._begun: dict = {}
        self._ended: dict = {}
        self._inside = False
        #: Seconds at the ends of epochs
        self.tail = 0.0

    def begin(self) -> None:
        """Listens, until as many have called `end`."""
        self._users += 1
        if self._users == 1:
            self._begun.clear()
            self._ended.clear()
            self._inside = False
            for name in _WATCHED:
                found = hook_points.find(f"callbacks_{name}")
                if found is not None:
                    self._originals.append((found.owner, name, found.value))
                    setattr(found.owner, name, self._timed(name, found.value))

    def end(self) -> None:
        """One less listens."""
        self._users -= 1
        if not self._users:
            for manager, name, original in self._originals:
                setattr(manager, name, original)
            self._originals.clear()

    def marks(self) -> tuple:
        """What `parts` takes, of the step whose end the callbacks are being told."""
        ended = self._ended.get
        return (
            ended("on_train_step_begin"),
            self._begun.get("on_train_step_end"),
            ended("on_train_epoch_begin"),
            ended("on_train_step_end"),
        )

    def _timed(self, name: str, original):
        begun, ended, now = self._begun, self._ended, time.perf_counter

        def timed(manager, *args, **kwargs):
            if self._inside:  # a training inside a callback
                return original(manager, *args, **kwargs)
            self._inside = True
            begun[name] = start = now(), clock.spent
            try:
                return original(manager, *args, **kwargs)
            finally:
                self._inside = False
                ended[name] = both = start, (now(), clock.spent)
                if name == "on_train_epoch_end":
                    self.tail += _between(*both)

        return timed


times = CallbackTimes()


def parts(begun, ending, epoch, before) -> tuple:
    """``(computation, wait for data, callbacks)`` of a step, in seconds, from its `CallbackTimes.marks`; the callbacks are
    those since the computation before. ``None``: not known."""
    if begun is None or ending is None:
        return None, None, None
    # the training waits for a batch after the end of a step, or the beginning of an epoch
    waits_since = max((both[1] for both in (epoch, before) if both is not None), default=None)
    wait = _between(waits_since, begun[0]) if waits_since is not None else None
    told = _between(*before) if before is not None else 0.0
    return _between(begun[1], ending), wait, told + _between(*begun)


def _between(begin: tuple, end: tuple) -> float:
    return max(0.0, end[0] - begin[0] - (end[1] - begin[1]))
