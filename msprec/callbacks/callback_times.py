"""When the computation of each step of ``Model.train`` begins and ends, whatever the order of the callbacks."""

from mindspore.train.callback import _CallbackManager

from msprec.callbacks._base import clock

_WATCHED = ("on_train_step_begin", "on_train_step_end", "on_train_epoch_begin", "on_train_epoch_end")


class CallbackTimes:
    """Listens to the manager that calls all callbacks of a training.

    Times are those of `clock`, so that what monitors take is left out. There is one for the process, `times`, however many
    monitors ask.
    """

    def __init__(self) -> None:
        self._originals, self._marks, self._depth, self._users = {}, {}, 0, 0
        #: Seconds at the ends of epochs
        self.tail = 0.0

    def begin(self) -> None:
        """Listens, until as many have called `end`."""
        self._users += 1
        if self._users == 1:
            self._marks, self._told, self._waits_since, self._depth = {}, 0.0, None, 0
            for name in _WATCHED:
                self._originals[name] = getattr(_CallbackManager, name)
                setattr(_CallbackManager, name, self._timed(name, self._originals[name]))

    def end(self) -> None:
        """One less listens."""
        self._users -= 1
        if not self._users:
            for name, original in self._originals.items():
                setattr(_CallbackManager, name, original)
            self._originals.clear()

    def step(self) -> tuple:
        """``(computation, wait for data, callbacks)`` of the step whose end the callbacks are being told, in seconds; the
        callbacks are those since the computation before. ``None``: not known."""
        begun, ending = (self._marks.get(name) for name in ("on_train_step_begin", "on_train_step_end"))
        if begun is None or ending is None:
            return None, None, None
        wait = _between(self._waits_since, begun[0]) if self._waits_since is not None else None
        return _between(begun[1], ending[0]), wait, self._told + _between(*begun)

    # seconds that callbacks took at the end of the step before, and since when the training waits for data
    _told, _waits_since = 0.0, None

    def _timed(self, name: str, original):
        def timed(manager, *args, **kwargs):
            if self._depth:  # a training inside a callback
                return original(manager, *args, **kwargs)
            self._depth += 1
            start = clock.read()
            self._marks[name] = (start, None)
            try:
                return original(manager, *args, **kwargs)
            finally:
                self._depth -= 1
                self._ended(name, start)

        return timed

    def _ended(self, name: str, start: tuple) -> None:
        mark = self._marks[name] = (start, clock.read())
        if name == "on_train_step_end":
            self._told, self._waits_since = _between(*mark), mark[1]
        elif name == "on_train_epoch_begin":
            self._waits_since = mark[1]
        elif name == "on_train_epoch_end":
            self.tail += _between(*mark)


times = CallbackTimes()


def _between(begin: tuple, end: tuple) -> float:
    return max(0.0, end[0] - begin[0] - (end[1] - begin[1]))
