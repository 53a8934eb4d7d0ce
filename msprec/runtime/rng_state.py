"""The random state that each step begins with: what it consists of, and how it is read at little cost."""

import random
from typing import Optional

import numpy as np

from msprec.runtime import hook_points

#: So many steps in a row without a draw, and MindSpore's generator is read once in `SELDOM` steps only.
QUIET = 8
#: Steps from one reading to the next of what seldom changes: a quiet generator, and the mode, which takes 20 µs to ask for.
SELDOM = 64


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


def _same(one: Optional[dict], other: dict) -> bool:
    if one is None or one["seed"] != other["seed"] or one["kernels"] != other["kernels"]:
        return False
    generators = one["mindspore"], other["mindspore"]
    return None not in generators and bool(np.array_equal(*(state.asnumpy() for state in generators)))


class RandomStates:
    """Reads the random state before each step.

    What MindSpore keeps, which most networks never draw from, is left out of most readings once `QUIET` steps have left it
    as it was: a generator only ever goes forward, so what is the same later was the same all the time.

    Args:
        draws: Whether the step's code may draw from Python's or NumPy's generators, whose states take 80 µs to read.
    """

    def __init__(self, draws: bool = True) -> None:
        self._draws, self._python = draws, True
        self._held, self._doubtful, self._same = None, None, 0
        #: Steps until all is read again
        self.left = 0

    def before_step(self) -> tuple:
        """The state in two parts, for `certain`: that of Python and NumPy, and MindSpore's when it was last read."""
        if not self.left:
            self._python, self.left = self._draws and _in_python(), SELDOM
            self._read()
        elif self._same < QUIET:
            self._read()
        self.left -= 1
        return (_host(True) if self._python else None), self._held

    @property
    def quiet(self) -> bool:
        """Whether nothing draws, so that as many as `left` of the next steps may begin without `before_step`, by `passed`
        instead."""
        return not self._python and self._same >= QUIET

    def passed(self) -> tuple:
        """The same as `before_step` for a step that has begun, of as many as are `left`: nothing is read."""
        self.left = max(0, self.left - 1)
        return None, self._held

    def certain(self, kept: tuple) -> dict:
        """What `before_step` has returned, as `random_state` returns it; MindSpore's part is None, and no ``kernels`` are
        there, where it may have gone on unseen."""
        host, held = kept
        if held is self._held and self._same >= QUIET:
            self._read()
        known = {"mindspore": None, "seed": held["seed"]} if held is self._doubtful else held
        return {**(host or _host(False)), **known}

    def _read(self) -> None:
        found, quiet = _mindspore(), self._same >= QUIET
        same = _same(self._held, found)
        if not same:
            # it has gone on at some step since the reading before
            self._held, self._doubtful = found, self._held if quiet else None
        self._same = self._same + 1 if same else 0


def _in_python() -> bool:
    import mindspore as ms

    return ms.get_context("mode") == ms.PYNATIVE_MODE
