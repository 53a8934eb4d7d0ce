"""Where two loss curves diverge, and what the accuracy guide concludes from that. Pure arithmetic."""

from typing import NamedTuple, Optional

import numpy as np

from msprec.compare.errors import CannotRead
from msprec.compare.losses.files import Losses

#: Relative difference of float32 losses of the same computation in another order of summation.
ROUNDING = 1e-5
#: Relative difference of the smoothed losses from which on two trainings are said to have parted.
PARTED = 0.01
#: A difference this many times all before it is a jump: something happened at that step.
JUMP, JUMP_AT_LEAST = 10.0, 1e-3
#: How many times the largest difference between repeated runs counts as their noise.
NOISE = 2.0
#: Share of the steps, and least number, that a difference must last to the end to be for good.
LASTS, LASTS_AT_LEAST = 0.05, 3


class Parting(NamedTuple):
    """What comparing two loss curves found; positions are indices into ``steps``, None where there is none.

    Attributes:
        steps, a, b: The common steps (n,) and the losses there.
        relative: (n,) |a − b| ÷ max(|a|, |b|, 1 % of the first losses); inf where only one is finite.
        band: (n,) the relative difference that counts as rounding (with repeated runs: as their noise).
        case: "equal", "drift", "first", "first_late", "second", "later", "noise" or "short".
        differs: The first position beyond rounding.
        parts: The position from which on the losses stay apart.
        jumps: The first position whose difference is out of proportion to all before it.
        exact: Whether all are equal to the last digit.
        offset: What was added to the steps of ``b``.
        notes: Codes of what had to be assumed.
    """

    steps: np.ndarray
    a: np.ndarray
    b: np.ndarray
    relative: np.ndarray
    band: np.ndarray
    case: str
    differs: Optional[int]
    parts: Optional[int]
    jumps: Optional[int]
    exact: bool
    offset: int
    notes: tuple


def compare_losses(
    a: Losses,
    b: Losses,
    repeats: tuple = (),
    rounding: float = ROUNDING,
    parted: float = PARTED,
    offset: Optional[int] = None,
) -> Parting:
    """Compares the losses ``b`` with the reference ``a``.

    Args:
        a, b: The two courses.
        repeats: Further runs of ``a`` or ``b`` as they are, to tell noise.
        rounding: Relative difference that counts as rounding.
        parted: Relative difference of the smoothed losses that counts as parted, without repeated runs.
        offset: Added to the steps of ``b``; None: found out (a count from 0 beside one from 1).

    Raises:
        CannotRead: They have no step in common.
    """
    shift = _offset(a, b, rounding) if offset is None else offset
    steps, in_a, in_b = np.intersect1d(a.steps, b.steps + shift, assume_unique=True, return_indices=True)
    if not len(steps):
        raise CannotRead(
            f"no common step: {a.name} has {_span(a)}, {b.name} {_span(b)}; shift the second with --offset"
        )
    x, y = a.values[in_a], b.values[in_b]
    scale = _scale(x, y)
    relative, exact = _relative(x, y, scale), bool(np.array_equal(x, y, equal_nan=True))
    tolerance = rounding + (a.rounding[in_a] + b.rounding[in_b]) * (1 + 1e-9) / scale
    noise = _noise(steps, a, b, shift, repeats)
    band = tolerance if noise is None else np.maximum(tolerance, NOISE * noise)
    beyond = relative > band
    differs = int(np.argmax(beyond)) if beyond.any() else None
    threshold = np.maximum(band, parted) if noise is None else band
    parts = _parts(x, y, scale, relative, threshold)
    jumps = _jump(relative, band, differs)
    noisy = noise is not None and bool((relative > tolerance).any())
    case = _case(_from_the_beginning(a, b, steps), steps, noisy, differs, parts, jumps)
    notes = _notes(a, b, steps, offset is None and shift != 0)
    return Parting(steps, x, y, relative, band, case, differs, parts, jumps, exact, shift, notes)


def _span(losses: Losses) -> str:
    return f"steps {losses.steps[0]} to {losses.steps[-1]}" if len(losses.steps) else "none"


def _offset(a: Losses, b: Losses, rounding: float) -> int:
    """1 or −1 where one counts from 0 and the other from 1 (then the losses must agree better so), else 0."""
    if not (a.numbered and b.numbered):
        # the order of lines says nothing of where the count began
        return int(a.steps[0] - b.steps[0]) if len(a.steps) and len(b.steps) else 0
    shift = int(a.steps[0] - b.steps[0])
    return shift if {int(a.steps[0]), int(b.steps[0])} == {0, 1} else 0


def _scale(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What differences are relative to: the larger loss, but no less than 1 % of the first losses."""
    first = np.abs(np.concatenate([x[:10], y[:10]]))
    first = first[np.isfinite(first)]
    least = max(0.01 * float(first.max()) if len(first) else 0.0, np.finfo(np.float64).tiny)
    both = np.fmax(np.abs(x), np.abs(y))
    return np.maximum(np.where(np.isfinite(both), both, least), least)


def _relative(x: np.ndarray, y: np.ndarray, scale: np.ndarray) -> np.ndarray:
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(invalid="ignore", over="ignore"):
        difference = np.abs(x - y) / scale
    return np.where(same, 0.0, np.where(np.isfinite(difference), difference, np.inf))


def _noise(steps: np.ndarray, a: Losses, b: Losses, shift: int, repeats: tuple) -> Optional[np.ndarray]:
    """(n,) the largest relative difference between runs of the same script, over the steps around each.

    A repeated run belongs to ``a`` or ``b``: the one that it is nearer to.
    """
    if not repeats:
        return None
    largest = np.zeros(len(steps))
    for repeat in repeats:
        nearest = min((_against(steps, own, repeat, move) for own, move in ((a, 0), (b, shift))), key=np.median)
        largest = np.maximum(largest, nearest)
    width = max(1, min(25, len(steps) // 20))
    padded = np.pad(largest, width, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * width + 1).max(axis=1)


def _against(steps: np.ndarray, own: Losses, repeat: Losses, shift: int) -> np.ndarray:
    """(n,) the differences between a run and its repetition at ``steps``; steps that either lacks take the value before."""
    common, at_own, at_repeat = np.intersect1d(own.steps + shift, repeat.steps + shift, return_indices=True)
    if not len(common):
        raise CannotRead(f"the repeated run {repeat.name} has no step in common with {own.name}")
    x, y = own.values[at_own], repeat.values[at_repeat]
    found = _relative(x, y, _scale(x, y))
    return found[np.clip(np.searchsorted(common, steps, side="right") - 1, 0, None)]


def _smooth(values: np.ndarray, width: int) -> np.ndarray:
    """The mean of the steps around each; a value that is not finite stays what it is."""
    if width <= 1:
        return values
    kernel = np.ones(width)
    finite = np.isfinite(values)
    total = np.convolve(np.where(finite, values, 0.0), kernel, "same")
    count = np.convolve(finite.astype(float), kernel, "same")
    return np.where(finite, total / np.maximum(count, 1), values)


def _parts(x, y, scale, relative, threshold) -> Optional[int]:
    """The first position from which on the smoothed losses stay apart by more than ``threshold``."""
    count = len(x)
    width = max(1, min(25, count // 20))
    apart = _relative(_smooth(x, width), _smooth(y, width), scale) > threshold
    together = np.flatnonzero(~apart)
    first = int(together[-1]) + 1 if len(together) else 0
    if count - first < max(LASTS_AT_LEAST, int(LASTS * count)):
        return None
    # the smoothing begins to see a step half its width before it
    for at in range(max(0, first - width), min(count, first + width)):
        if relative[at] > threshold[at]:
            return at
    return first


def _case(from_the_beginning: bool, steps, noisy: bool, differs, parts, jumps) -> str:
    if differs is None:
        return "noise" if noisy else "equal"
    if differs == 0:
        return "first" if from_the_beginning else "first_late"
    if differs == 1 and from_the_beginning and (parts is not None or jumps == 1):
        return "second"
    if parts is not None or jumps is not None:
        return "later"
    return "short" if differs >= len(steps) - LASTS_AT_LEAST else "drift"


def _from_the_beginning(a: Losses, b: Losses, steps: np.ndarray) -> bool:
    """Whether the first common step is the first of the training."""
    return bool(steps[0] <= 1) and (len(steps) < 2 or steps[1] - steps[0] == 1)


def _jump(relative: np.ndarray, band: np.ndarray, differs: Optional[int]) -> Optional[int]:
    """The first difference many times larger than any before it."""
    if differs is None:
        return None
    before = np.maximum.accumulate(np.concatenate([[0.0], relative[:-1]]))
    found = (relative > JUMP * np.maximum(before, band)) & (relative > JUMP_AT_LEAST)
    return int(np.argmax(found)) if found.any() else None


def _notes(a: Losses, b: Losses, steps: np.ndarray, shifted: bool) -> tuple:
    notes = [*a.notes, *b.notes]
    if shifted:
        notes.append("shifted")
    if len(steps) < min(len(a.steps), len(b.steps)):
        notes.append("some_steps")
    if len(steps) > 1 and np.diff(steps).max() > 1:
        notes.append("gaps")
    return tuple(dict.fromkeys(notes))
