"""Pictures (channels, height, width) whose values lie as those of (height, width, channels) do: reshaped, and not transposed."""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.record.nested import tensors_in

#: Numbers of channels, smallest picture, fewest pictures of a batch, batches that are looked at.
_CHANNELS, _SIDE, _PICTURES, _BATCHES = (3, 4), 12, 4, 8


def interleaved_channels(material) -> Optional[dict]:
    """The entry ``interleaved_channels`` of ``probes.json``: by how much values of a row differ that are so many places apart;
    None where no input of the step has the shape of such pictures.

    In a row of a picture values differ the more the further apart they are. Where channels lie side by side, those of one
    channel, as many places apart as there are channels, or twice as many, are closer than those next to them.

    Args:
        material: What the run has left.
    """
    found = []
    for batch in material.batches[:_BATCHES]:
        rows = next((one for one in map(to_numpy, tensors_in(batch)) if _has_channels_first(one)), None)
        if rows is None:
            return None
        lags = range(1, 2 * rows.shape[1] + 2)
        found.append([float(np.abs(rows[..., lag:] - rows[..., :-lag]).mean()) for lag in lags])
    if len({len(one) for one in found}) != 1:
        return None
    return {"channels": len(found[0]) // 2, "apart": [float(one) for one in np.mean(found, axis=0)]}


def _has_channels_first(array: np.ndarray) -> bool:
    sound = array.dtype.kind == "f" and array.ndim == 4 and array.shape[1] in _CHANNELS and len(array) >= _PICTURES
    return bool(sound and min(array.shape[2:]) >= _SIDE and np.isfinite(array).all())
