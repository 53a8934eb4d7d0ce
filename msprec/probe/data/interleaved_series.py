"""Series whose channels follow one another where each step's stand side by side: a reshape in the place of a transpose."""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.record.nested import tensors_in

#: Batches that are looked at; least steps, most channels, and least pairs of values that a correlation rests on.
_BATCHES, _STEPS, _CHANNELS, _PAIRS = 16, 8, 8, 200


def interleaved_series(material) -> Optional[dict]:
    """The entry ``interleaved_series`` of ``probes.json``: how values of a sample of the shape (steps, channels), taken in a row,
    go together; None where no input of the step has that shape.

    Of (channels, steps) that a reshape has made (steps, channels) of, neighbours in the row are neighbours in time, whether a
    step ends between them or not, but for those between which a channel ends.

    Args:
        material: What the run has left.
    """
    taken = []
    for batch in material.batches[:_BATCHES]:
        series = next((one for one in map(to_numpy, tensors_in(batch)) if _is_series(one)), None)
        if series is None or (taken and series.shape[1:] != taken[0].shape[1:]):
            return None
        taken.append(series)
    if not taken:
        return None
    rows = np.concatenate(taken).astype(np.float64)
    steps, channels = rows.shape[1:]
    if len(rows) * (channels - 1) < _PAIRS:
        return None
    rows = rows.reshape(len(rows), -1) - rows.mean()
    ends = np.arange(1, rows.shape[1])  # the places before which a pair of neighbours is divided
    borders = ends % steps == 0
    row_ends = ends % channels == 0
    return {
        "steps": steps,
        "channels": channels,
        "within_steps": _together(rows, ends[~row_ends & ~borders], 1),
        "across_steps": _together(rows, ends[row_ends & ~borders], 1),
        "steps_apart": _together(rows, np.arange(channels, rows.shape[1]), channels),
        "at_borders": _together(rows, ends[borders], 1),
    }


def _is_series(array: np.ndarray) -> bool:
    sound = array.dtype.kind == "f" and array.ndim == 3 and array.shape[1] >= _STEPS
    return bool(sound and 2 <= array.shape[2] <= _CHANNELS and np.isfinite(array).all() and np.ptp(array))


def _together(rows: np.ndarray, places: np.ndarray, lag: int) -> Optional[float]:
    """The correlation of the values at these places with those ``lag`` before them."""
    if not places.size:
        return None
    here, before = rows[:, places].reshape(-1), rows[:, places - lag].reshape(-1)
    size = float(np.linalg.norm(here) * np.linalg.norm(before))
    return float(here @ before) / size if size else None
