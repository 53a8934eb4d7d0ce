"""The random state that each step begins with: what it consists of, and how it is read at little cost."""

import random
import sys
from typing import Optional

import numpy as np

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
    return _whole(python, _generator())


def _whole(python: bool, generator) -> dict:
    import mindspore as ms

    kernels = dict(kernel_seeds() or {})
    return {"python": random.getstate() if python else None, "numpy": np.random.get_state() if python else None,
            "mindspore": generator, "seed": ms.get_seed(), "kernels": kernels}  # fmt: skip


def kernel_seeds() -> Optional[dict]:
    """MindSpore's own dictionary ``{(operator, seed): next seed}``, or None where this MindSpore has none."""
    return getattr(sys.modules.get("mindspore.common.seed"), "_KERNEL_SEED", None)


def _generator():
    import mindspore as ms

    return ms.get_rng_state() if hasattr(ms, "get_rng_state") else None


def _same(one, other) -> bool:
    return one is not None and other is not None and bool(np.array_equal(one.asnumpy(), other.asnumpy()))


class RandomStates:
    """Reads the random state before each step.

    MindSpore's generator, which most networks never draw from, is left out of most readings once `QUIET` steps have left it
    as it was: its state only ever goes forward, so what is the same later was the same all the time.

    Args:
        draws: Whether the step's code may draw from Python's or NumPy's generators, whose states take 80 µs to read.
    """

    def __init__(self, draws: bool = True) -> None:
        self._draws, self._steps, self._python = draws, 0, True
        self._held = self._doubtful = None
        self._since, self._same = 0, 0

    def before_step(self) -> dict:
        """As `random_state` returns it; where the generator was not read, with the state that it had when it was."""
        if not self._steps % SELDOM:
            self._python = self._draws and _in_python()
        self._steps += 1
        self._since += 1
        if self._same < QUIET or self._since >= SELDOM:
            self._read()
        return _whole(self._python, self._held)

    def certain(self, state: dict) -> dict:
        """A state that `before_step` has returned, without the generator's where that may have gone on unseen."""
        held = state["mindspore"]
        if held is not None and held is self._held and self._same >= QUIET:
            self._read()
        return {**state, "mindspore": None} if held is self._doubtful else state

    def _read(self) -> None:
        found, quiet = _generator(), self._same >= QUIET
        same = _same(self._held, found)
        if not same:
            # it has gone on at some step since the reading before
            self._held, self._doubtful = found, self._held if quiet else None
        self._same, self._since = self._same + 1 if same else 0, 0


def _in_python() -> bool:
    import mindspore as ms

    return ms.get_context("mode") == ms.PYNATIVE_MODE
