"""What a gradient's values tell: its norm, what float16 would make of it, and which loss scale it needs. No MindSpore."""

import math
from collections import deque
from typing import NamedTuple, Optional

import numpy as np

#: Columns of ``rank_N/gradients.csv``.
COLUMNS = (
    "step",
    "parameter",
    "size",
    "norm",
    "max_abs",
    "zeros",
    "underflow",
    "subnormal",
    "nonfinite",
    "update_ratio",
    "source",
)

#: float16: its largest number, its smallest normal and smallest subnormal one (IEEE 754 binary16).
HALF_MAX, HALF_NORMAL, HALF_TINY = 65504.0, 2.0**-14, 2.0**-24
_CHUNK = 1 << 15
#: `ScaleAdvice`: the share of a run's non-zero gradient elements that may be lost at the lowest scale advised.
LOST = 0.001
#: `GradientStory`: the global norm explodes at so many times its median over the samples before, of which there are so
#: many at least; a weight's gradient vanishes below this share of the largest, in so many samples in a row. The factors
#: are our own: two and five orders of magnitude, far outside what a healthy network shows from step to step.
EXPLODES, BEFORE, VANISHES, IN_A_ROW = 100.0, 5, 1e-5, 3


class Gradient(NamedTuple):
    """One parameter's gradient in one step.

    ``size``: elements; ``norm``: Euclidean norm over the finite elements; ``max_abs``: the largest of them; ``zeros``,
    ``nonfinite``: shares of all elements; ``underflow``, ``subnormal``: shares of all elements that are not zero, and
    times the loss scale become zero, or a subnormal number, in float16; ``level``: root mean square of the non-zero
    elements; ``exponents``: ``{e: elements in [2**(e-1), 2**e)}``.
    """

    size: int
    norm: float
    max_abs: float
    zeros: float
    underflow: float
    subnormal: float
    nonfinite: float
    level: float
    exponents: dict


def gradient_of(values: np.ndarray, scale: float = 1.0) -> Gradient:
    """The statistics of a gradient.

    Args:
        values: The unscaled gradient, any shape, floating.
        scale: The loss scale that it would be multiplied by in float16.
    """
    size, largest, square = int(values.size), 0.0, 0.0
    counts, exponents = np.zeros(4, np.int64), np.zeros(256, np.int64)
    for chunk in _chunks(values):
        chunk = np.abs(chunk)
        # the eight bits of a float32's exponent; 255: infinite or NaN
        found = np.bincount(chunk.view(np.uint32) >> 23, minlength=256)
        if found[255]:
            chunk = chunk[np.isfinite(chunk)]
        zeros = chunk.size - np.count_nonzero(chunk)
        found[0] -= zeros
        exponents += found
        counts += (zeros, *_lost(chunk, scale, zeros), found[255])
        wide = chunk.astype(np.float64)
        square += float(wide @ wide)
        largest = max(largest, float(chunk.max())) if chunk.size else largest
    present = size - counts[0] - counts[3]
    zeros, underflow, subnormal, nonfinite = (counts / max(1, size)).tolist()
    return Gradient(
        size,
        math.sqrt(square),
        largest,
        zeros,
        underflow,
        subnormal,
        nonfinite,
        math.sqrt(square / present) if present else 0.0,
        {int(e) - 126: int(n) for e, n in enumerate(exponents[:255]) if n},
    )


def _chunks(values: np.ndarray):
    """Pieces that stay in a processor's cache, as float32."""
    flat = np.asarray(values).reshape(-1)
    for start in range(0, flat.size, _CHUNK):
        yield np.ascontiguousarray(flat[start : start + _CHUNK], dtype=np.float32)


def _lost(chunk: np.ndarray, scale: float, zeros: int) -> tuple:
    """How many of the non-negative finite numbers are not zero, and times ``scale`` zero or subnormal in float16.

    A float16 rounds to the nearest, half-way cases to the even one: zero up to 2**-25, normal from 2**-14 - 2**-25.
    """
    if scale != 1:
        with np.errstate(over="ignore", under="ignore"):
            chunk = chunk * np.float32(scale)
    under = np.count_nonzero(chunk <= HALF_TINY / 2)
    return under - zeros, np.count_nonzero(chunk < HALF_NORMAL - HALF_TINY / 2) - under


def global_norm(gradients: dict) -> float:
    """The Euclidean norm over all parameters, as ``clip_by_global_norm`` takes it, over finite elements.

    Args:
        gradients: ``{name: Gradient}``.
    """
    return math.sqrt(math.fsum(g.norm**2 for g in gradients.values()))


def update_ratio(before: np.ndarray, after: np.ndarray) -> Optional[float]:
    """``‖after − before‖ / ‖before‖`` of two arrays of one shape, any floating dtype; ``None`` for a parameter that was zero."""
    norm = moved = 0.0
    for one, two in zip(_chunks(before), _chunks(after)):
        one, two = one.astype(np.float64), two.astype(np.float64)
        norm += float(one @ one)
        with np.errstate(invalid="ignore"):  # infinite before and after
            two -= one
        moved += float(two @ two)
    return math.sqrt(moved / norm) if norm > 0 else None


class ScaleAdvice:
    """Which loss scales the gradients seen so far can bear.

    Gradients of activations, which are not seen here, may overflow at a lower scale.
    """

    def __init__(self) -> None:
        self._largest = 0.0
        self._exponents: dict = {}

    def add(self, gradient: Gradient) -> None:
        """Counts one parameter's gradient."""
        self._largest = max(self._largest, gradient.max_abs)
        for exponent, count in gradient.exponents.items():
            self._exponents[exponent] = self._exponents.get(exponent, 0) + count

    def largest(self) -> Optional[float]:
        """The largest power of two at which no gradient element seen exceeds float16's largest number, 65504."""
        if not self._largest:
            return None
        return 2.0 ** math.floor(math.log2(HALF_MAX / self._largest))

    def smallest(self) -> Optional[float]:
        """The smallest power of two at which all but 0.1 % of the non-zero elements seen stay at or above float16's
        smallest number, 2**-24."""
        spare = LOST * sum(self._exponents.values())
        for exponent in sorted(self._exponents):
            spare -= self._exponents[exponent]
            if spare < 0:
                return HALF_TINY / 2.0 ** (exponent - 1)
        return None


class GradientHistory:
    """Tells when gradients explode or vanish, from one sample after the other.

    Args:
        event: Called as ``event(name, step, **facts)``.
    """

    def __init__(self, event) -> None:
        self._event = event
        self._norms: deque = deque(maxlen=50)
        self._low: dict = {}
        self._told: set = set()

    def add(self, step: int, gradients: dict, weights: set) -> None:
        """A sample: ``gradients`` ``{parameter: Gradient}`` in the network's order; ``weights``: names of those that
        have two or more dimensions, the only ones that can vanish (a bias before a normalisation is zero by design)."""
        norm = global_norm(gradients)
        self._explosion(step, gradients, norm)
        self._norms.append(norm)
        self._vanishing(step, gradients, weights)

    def _explosion(self, step: int, gradients: dict, norm: float) -> None:
        usual = float(np.median(self._norms)) if len(self._norms) >= BEFORE else 0.0
        if usual and norm > EXPLODES * usual and "explosion" not in self._told:
            self._told.add("explosion")
            name = max(gradients, key=lambda one: gradients[one].norm)
            self._event(
                "gradient_exploding", step, norm=norm, usual=usual, parameter=name, parameter_norm=gradients[name].norm
            )

    def _vanishing(self, step: int, gradients: dict, weights: set) -> None:
        levels = {name: g.level for name, g in gradients.items() if name in weights and not g.nonfinite}
        largest = max(levels.values(), default=0.0)
        if not largest:
            return
        for name, level in levels.items():
            low = self._low[name] = self._low.get(name, 0) + 1 if level < VANISHES * largest else 0
            if low == IN_A_ROW and name not in self._told:
                self._told.add(name)
                self._event("gradient_vanishing", step, parameter=name, level=level, largest=largest)
