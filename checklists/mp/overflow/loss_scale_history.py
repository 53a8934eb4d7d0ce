"""Loss scale and overflows over the steps of one rank (mp.01)."""

from typing import Optional

import numpy as np

from msprec.engine.run_data import RunData
from msprec.record.overflow_rules import search_length


class LossScaleHistory:
    """Counts over the steps of one rank. ``search``: the overflows before the scale has settled."""

    def __init__(self, run_data: RunData, rank: int, kind: Optional[str], floor: Optional[float]):
        steps = run_data.steps(rank)
        self.rank, self.floor = rank, 1.0 if floor is None else floor
        self.flagged = "overflow" in steps
        self.n = len(steps)
        self.number = steps["step"]
        self.overflow = np.nan_to_num(steps["overflow"]) > 0
        self.scale = np.where(steps.seen("scale"), steps["scale"], np.nan)
        self.next_scale = steps["next_scale"]
        self.loss, self.loss_seen = steps["loss"], steps.seen("loss")
        self.kind = kind or self._guess()
        self.overflows = int(self.overflow.sum())
        self.search = search_length(self.kind, self.overflow)

    def _guess(self) -> str:
        seen = self.scale[np.isfinite(self.scale)]
        if not seen.size:
            return "none"
        return "dynamic" if np.unique(seen).size > 1 else "fixed"

    @property
    def never_updated(self) -> bool:
        return self.flagged and self.n > 0 and self.overflows == self.n

    @property
    def after(self) -> int:
        """Steps after the initial scale search."""
        return self.n - self.search

    @property
    def overflows_after(self) -> int:
        return self.overflows - self.search

    @property
    def tail(self) -> int:
        """Overflowing steps in a row at the end."""
        good = np.flatnonzero(~self.overflow)
        return self.n - 1 - int(good[-1]) if good.size else self.n

    @property
    def excess(self) -> int:
        """Overflows after the search beyond the increases of the scale: how often it was halved for good.

        A scale in balance probes a larger value every window and falls back, at once or some steps later; then the two
        even out. One that keeps falling meets overflow that it cannot cure.
        """
        grown = self.next_scale[self.search :] > self.scale[self.search :]
        return self.overflows_after - int(np.count_nonzero(grown & ~self.overflow[self.search :]))

    @property
    def lasting(self) -> bool:
        """Did overflow come back in the last quarter of the steps after the search as well?"""
        return bool(self.overflow[self.search + 3 * self.after // 4 :].any())

    def nonfinite_losses(self) -> np.ndarray:
        """Positions of NaN or infinite losses in steps that were not skipped for overflow."""
        return np.flatnonzero(self.loss_seen & ~np.isfinite(self.loss) & ~self.overflow)

    def infinite_scale(self) -> Optional[int]:
        """The first step whose scale was or became infinite or NaN."""
        bad = np.flatnonzero(np.isinf(self.scale) | np.isinf(self.next_scale))
        return self.step(bad[0]) if bad.size else None

    def at_floor(self) -> int:
        """Overflowing steps with the scale at its floor, where it cannot shrink any further."""
        with np.errstate(invalid="ignore"):
            return int(np.count_nonzero(self.overflow & (self.scale <= self.floor)))

    def step(self, position: int) -> int:
        number = self.number[position]
        return int(number) if np.isfinite(number) else int(position) + 1

    def streaks(self) -> list:
        """(first step, last step, length) of the runs of overflowing steps."""
        edges = np.flatnonzero(np.diff(np.concatenate(([0], self.overflow.astype(int), [0]))))
        return [(self.step(a), self.step(b - 1), int(b - a)) for a, b in zip(edges[::2], edges[1::2])]
