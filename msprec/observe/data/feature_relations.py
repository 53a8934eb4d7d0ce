"""How the features of one array go together: one quantity, as the pixels of a picture, or several, as a table's columns."""

from typing import Optional

import numpy as np

MOST_LEVELS = 256
_FEWEST_ROWS = 16
_ROWS = 1024


def relations(rows: np.ndarray) -> Optional[dict]:
    """What ties the features of a column together; None of fewer than three features that vary, or too few samples.

    Args:
        rows: (samples, features) float64; samples with a number that is not finite are left out.

    Returns:
        dict: ``features`` (how many vary), ``levels`` (distinct values over all of them; None: more than 256),
        ``neighbours`` and ``apart`` (median absolute correlation of a varying feature with the next one, and with the one
        half of the array away: without a unit, 0 to 1).
    """
    kept = rows[:_ROWS]
    kept = kept[np.isfinite(kept).all(1)]
    if len(kept) < _FEWEST_ROWS:
        return None
    with np.errstate(all="ignore"):
        std = kept.std(0)
        moving = np.flatnonzero((std > 0) & np.isfinite(std))
        if len(moving) < 3:
            return None
        units = (kept[:, moving] - kept[:, moving].mean(0)) / std[moving]
        near = np.abs((units[:, 1:] * units[:, :-1]).mean(0))
        half = len(moving) // 2
        far = np.abs((units[:, half:] * units[:, : len(moving) - half]).mean(0))
    levels = len(np.unique(kept))
    return {
        "features": len(moving),
        "levels": levels if levels <= MOST_LEVELS else None,
        "neighbours": _median(near),
        "apart": _median(far),
    }


def _median(values: np.ndarray) -> Optional[float]:
    values = values[np.isfinite(values)]
    return round(float(np.median(values)), 4) if values.size else None
