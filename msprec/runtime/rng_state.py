"""The random state that each step begins with: what it consists of, and how it is read at little cost."""

import random
from collections import deque
from typing import Any, Callable, Optional

import numpy as np

from msprec.record.time_budget import Budget
from msprec.runtime import hook_points

#: So many steps in a row without a draw, and MindSpore's generator is read once in `SELDOM` steps only.
QUIET = 8
#: Steps from one reading to the next of what seldom changes: a quiet generator, and the mode, which takes 20 µs to ask for.
SELDOM = 64
#: Share of the time that reading generators that do draw may take, as it waits for what PyNative mode has launched, and seconds
#: that are free; beyond them a state is not known.
SHARE, GRACE = 0.005, 0.5


def random_state(python: bool = True) -> dict:
    """The states of Python's, NumPy's and MindSpore's global generators, MindSpore's global seed, and the seeds that its
    random functions (``ops.dropout``, ``ops.rand``, …) draw theirs from; reading changes none of them.

    ``python`` False leaves out those of Python and NumPy, which a compiled step cannot use: None.

    The generator inside a random operator that is made once, such as that of ``nn.Dropout``, cannot be read.
    """
    return {**_host(python), **_mindspore()}


def set_random_state(state: dict) -> None:
    """Sets the generators to what `random_state` returned."""
    import mindspore as ms

    if state["python"] is not None:
        random.setstate(state["python"])
    if state["numpy"] is not None:
        np.random.set_state(state["numpy"])
    if state["mindspore"] is not None:
        ms.set_rng_state(state["mindspore"])
    seeds = kernel_seeds()
    if seeds is not None and "kernels" in state:
        seeds.clear()
        seeds.update(state["kernels"])


def kernel_seeds() -> Optional[dict]:
    """MindSpore's own dictionary ``{(operator, seed): next seed}``, or None where this MindSpore has none."""
    return hook_points.value("kernel_seeds")


def _host(python: bool) -> dict:
    if not python:
        return {"python": None, "numpy": None}
    return {"python": random.getstate(), "numpy": np.random.get_state()}


def _mindspore() -> dict:
    import mindspore as ms

    generator = ms.get_rng_state() if hasattr(ms, "get_rng_state") else None
    return {"mindspore": generator, "seed": ms.get_seed(), "kernels": dict(kernel_seeds() or {})}


def _same_mindspore(one: dict, other: dict) -> bool:
    if one["seed"] != other["seed"] or one["kernels"] != other["kernels"]:
        return False
    generators = one["mindspore"], other["mindspore"]
    return None not in generators and bool(np.array_equal(*(state.asnumpy() for state in generators)))


def _same_host(one: dict, other: dict) -> bool:
    pairs = list(zip(one["numpy"], other["numpy"]))
    return one["python"] == other["python"] and all(np.array_equal(*pair) for pair in pairs)


class _Followed:
    """One part of the state, which is left out of most readings once `QUIET` of them have found it as it was."""

    def __init__(self, read: Callable, same: Callable) -> None:
        self._read, self._equal = read, same
        #: As it was last read; one object as long as it is the same
        self.held: Any = None
        self._doubtful: deque = deque(maxlen=SELDOM)
        self._same = 0

    @property
    def quiet(self) -> bool:
        return self._same >= QUIET

    def read(self) -> None:
        found, quiet = self._read(), self.quiet
        same = self.held is not None and self._equal(self.held, found)
        if not same:
            # it has gone on at some step since the reading before
            if quiet:
                self._doubtful.append(self.held)
            self.held = found
        self._same = self._same + 1 if same else 0

    def certain(self, kept) -> bool:
        """Whether ``kept``, what was held when a step began, was the state then."""
        if kept is self.held and self.quiet:
            self.read()
        return not any(kept is one for one in self._doubtful)


class RandomStates:
    """Reads the random state before each step.

    What most steps never draw from is left out of most readings once `QUIET` steps have left it as it was: a generator only
    ever goes forward, so what is the same later was the same all the time.

    Args:
        draws: Whether the step's code may draw from Python's or NumPy's generators, whose states take 80 µs to read.
    """

    def __init__(self, draws: bool = True) -> None:
        self._draws, self._python = draws, True
        self._host = _Followed(lambda: _host(True), _same_host)
        self._own = _Followed(lambda: _mindspore(), _same_mindspore)
        #: Steps until all is read again
        self.left = 0
        self._budget = Budget(SHARE, GRACE)

    def before_step(self) -> tuple:
        """The state in two parts, for `certain`: that of Python and NumPy, and MindSpore's, each as it was last read."""
        due = not self.left
        if due:
            self._python, self.left = self._draws and _in_python(), SELDOM
        known = due or self._own.quiet or self._budget.due()
        parts = [part for part in (self._own, self._host)[: 1 + self._python] if due or not part.quiet]
        if parts and known:
            with self._budget.spending():
                for part in parts:
                    part.read()
        self.left -= 1
        host = self._host.held if self._python and (known or self._host.quiet) else None
        return host, self._own.held if known else {"mindspore": None, "seed": self._own.held["seed"]}

    @property
    def quiet(self) -> bool:
        """Whether nothing draws, so that as many as `left` of the next steps may begin without `before_step`, by `passed`
        instead."""
        return self._own.quiet and (not self._python or self._host.quiet)

    def passed(self) -> tuple:
        """The same as `before_step` for a step that has begun, of as many as are `left`: nothing is read."""
        self.left = max(0, self.left - 1)
        return (self._host.held if self._python else None), self._own.held

    def certain(self, kept: tuple) -> dict:
        """What `before_step` has returned, as `random_state` returns it; where a part may have gone on unseen, it is None, and
        no ``kernels`` are there."""
        host, own = kept
        if host is None or not self._host.certain(host):
            host = _host(False)
        return {**host, **(own if self._own.certain(own) else {"mindspore": None, "seed": own["seed"]})}


def _in_python() -> bool:
    import mindspore as ms

    return ms.get_context("mode") == ms.PYNATIVE_MODE
