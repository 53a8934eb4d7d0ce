"""Histograms of values that arrive block by block, one a column: the range grows with them, so that none falls outside."""

from typing import Optional

import numpy as np


class Histograms:
    """A histogram of ``bins`` equal bins (an even number) for each column of the blocks to come.

    The first block sets the range of each. A range that turns out too small is doubled, two bins becoming one, until it
    holds all: the counts stay exact, the bins get coarser.
    """

    def __init__(self, bins: int) -> None:
        self.bins = bins
        self.low = self.width = self.counts = None

    def add(self, block: np.ndarray, low: np.ndarray, high: np.ndarray, weight: int = 1) -> None:
        """Counts a block.

        Args:
            block: (rows, columns), real numbers; those that are not finite are left out.
            low, high: (columns,) The least and the greatest finite value so far, this block's among them; where a column
                had none, ``low`` is above ``high``.
            weight: How many values each one stands for.
        """
        if self.counts is None or len(self.counts) != block.shape[1]:
            self.low, self.width = np.full(block.shape[1], np.nan), np.full(block.shape[1], np.nan)
            self.counts = np.zeros((block.shape[1], self.bins), np.int64)
        with np.errstate(all="ignore"):
            self._cover(np.asarray(low, np.float64), np.asarray(high, np.float64))
            places = (block - self.low) * (self.bins / self.width)
            known = np.isfinite(places)
            places = np.where(known, places, 0.0).clip(0, self.bins - 1).astype(np.intp)
        places += np.arange(len(self.counts)) * self.bins
        places = places.reshape(-1) if known.all() else places[known]
        found = np.bincount(places, minlength=self.counts.size)
        self.counts += weight * found.reshape(self.counts.shape)

    def _cover(self, low: np.ndarray, high: np.ndarray) -> None:
        begun = np.isfinite(self.width)
        for i in np.flatnonzero((low <= high) & ~begun):
            # room for what later blocks hold beyond the first, for a doubling costs half of the resolution
            spare = (high[i] - low[i]) * 0.25 or max(abs(low[i]), 1.0) * 0.5
            self.low[i], self.width[i] = low[i] - spare, high[i] - low[i] + 2 * spare
        for i in np.flatnonzero(begun & ((low < self.low) | (high > self.low + self.width))):
            self._double(i, float(low[i]), float(high[i]))

    def _double(self, i: int, low: float, high: float) -> None:
        half = self.bins // 2
        while (low < self.low[i] or high > self.low[i] + self.width[i]) and np.isfinite(2 * self.width[i]):
            pairs = self.counts[i].reshape(half, 2).sum(1)
            below = low < self.low[i]
            if below:
                self.low[i] -= self.width[i]
            self.counts[i] = np.concatenate([np.zeros_like(pairs), pairs] if below else [pairs, np.zeros_like(pairs)])
            self.width[i] *= 2

    def edges(self, i: int) -> Optional[list]:
        """The ``bins + 1`` edges of column ``i``; None where it had no finite value."""
        if self.counts is None or not np.isfinite(self.width[i]):
            return None
        return np.linspace(self.low[i], self.low[i] + self.width[i], self.bins + 1).tolist()
