"""Sudden rises of a loss, by medians of windows before them (td.09). No run data: arrays in, spikes out."""

from typing import NamedTuple, Optional

import numpy as np

#: A robust standard deviation from the median absolute deviation (of a normal distribution).
_MAD = 1.4826
#: The share of a window's deviations below which they count as usual: one or two spikes of a hundred do not hide the next.
_USUAL = 98


class Limits(NamedTuple):
    """Thresholds of td.09, by their names."""

    deviations: float
    extremes: float
    rise: float
    back: float


class Spike(NamedTuple):
    """A sudden rise.

    Attributes:
        first, peak: Positions of its first and of its highest loss among the losses given.
        usual: Median of the losses in the window before.
        noise: Their robust standard deviation.
        height: The highest loss.
        back: Position from which on the loss is back; None: it never came back.
        gained: What the training had gained by then: the start less ``usual``.
    """

    first: int
    peak: int
    usual: float
    noise: float
    height: float
    back: Optional[int]
    gained: float


def window(count: int) -> int:
    """Steps of a block; the window before a block is the two blocks before it."""
    return int(min(max(10, count // 20), 50))


def find_spikes(losses: np.ndarray, limits: Limits) -> list[Spike]:
    """The spikes in finite losses, (n,) float64; none before the third block. Takes time proportional to n."""
    width = window(len(losses))
    blocks = len(losses) // width
    if blocks < 3:
        return []
    usual, noise, extreme = _before(losses, width, blocks)
    start = float(np.median(losses[: max(1, min(width, len(losses) // 50))]))
    block = np.minimum(np.arange(2 * width, len(losses)) // width - 2, len(usual) - 1)
    rest = losses[2 * width :]
    over = rest - usual[block]
    gained = np.maximum(start - usual[block], 0.0)
    flagged = (
        (over > limits.deviations * noise[block])
        & (over > limits.extremes * extreme[block])
        & (over > limits.rise * gained)
        & (over > 1e-6 * np.abs(usual[block]))
    )
    return _episodes(losses, np.flatnonzero(flagged), block, (usual, noise, gained), width, limits.back)


def _before(losses: np.ndarray, width: int, blocks: int) -> tuple:
    """Median, robust standard deviation and usual extreme of the two blocks before each block from the third on."""
    cut = losses[: blocks * width].reshape(blocks, width)
    pairs = np.concatenate([cut[:-1], cut[1:]], axis=1)
    usual = np.median(pairs, axis=1)
    away = pairs - usual[:, None]
    noise = _MAD * np.median(np.abs(away), axis=1)
    return usual, noise, np.percentile(away, _USUAL, axis=1)


def _episodes(
    losses: np.ndarray, flagged: np.ndarray, block: np.ndarray, before: tuple, width: int, back: float
) -> list:
    """What is flagged, put together until the loss is back."""
    usual, noise, gained = before
    found: list[Spike] = []
    ends = 0
    for position in flagged:
        first = int(position) + 2 * width
        if first < ends:
            continue
        level = float(usual[block[position]]), float(noise[block[position]])
        returned = _back(losses, first, level[0] + back * level[1], width)
        ends = returned if returned is not None else len(losses)
        peak = first + int(np.argmax(losses[first:ends])) if ends > first else first
        found.append(Spike(first, peak, *level, float(losses[peak]), returned, float(gained[position])))
        ends = max(ends, first + 1)
    return found


def _back(losses: np.ndarray, first: int, level: float, width: int) -> Optional[int]:
    """The first position after ``first`` from which on half of a few losses lie below the level."""
    few = max(3, width // 5)
    start = first + 1
    while start < len(losses):
        part = losses[start : start + 4096 + few]
        below = np.convolve(part <= level, np.ones(few), "valid") if len(part) >= few else np.zeros(0)
        enough = np.flatnonzero((below >= few / 2) & (part[: len(below)] <= level))
        if enough.size:
            return start + int(enough[0])
        if start + 4096 + few >= len(losses):
            rest = part[-few:]
            return start + len(part) - 1 if len(rest) and (rest <= level).mean() > 0.5 else None
        start += 4096
    return None
