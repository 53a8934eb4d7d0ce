"""At which place of a sequence stands the token that the target of a place follows from: its own, or one beside it.

Counted on the captured batches alone: nothing is run.
"""

from typing import Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.network.attended_padding import padded_places
from msprec.record.nested import tensors_in

#: Shifts that are looked at; fewest places with a target, different tokens and different targets.
_SHIFTS, _PLACES, _TOKENS, _TARGETS = (-2, -1, 0, 1, 2), 400, 5, 2
#: Places of one token that are needed, on average, for its most frequent target to be known.
_OFTEN = 8


def token_targets(material) -> Optional[dict]:
    """The entry ``token_targets`` of ``probes.json``; None without token ids beside class numbers of the same shape.

    Args:
        material: What the run has left.
    """
    pairs = [_pair(batch) for batch in material.batches]
    shapes = {one[0].shape[1:] for one in pairs if one is not None}
    if None in pairs or len(shapes) != 1:
        return None
    ids, targets = (np.concatenate([one[at] for one in pairs]) for at in (0, 1))
    padded = padded_places(ids)
    padded = np.zeros(ids.shape, bool) if padded is None else padded
    empty = np.unique(targets[padded])  # what fills the targets up
    valid = ~padded & (targets >= 0)
    classes, counts = np.unique(targets[valid], return_counts=True)
    if valid.sum() < max(_PLACES, _OFTEN * len(np.unique(ids))) or len(classes) < _TARGETS:
        return None
    shares = {shift: _share(ids, targets, valid, ~padded, shift) or 0.0 for shift in _SHIFTS}
    own = shares.pop(0)
    shift = max(shares, key=shares.__getitem__)
    return {
        "places": int(valid.sum()),
        "constant": float(counts.max() / counts.sum()),
        "own": own,
        "shift": shift,
        "shifted": shares[shift],
        "same": max(_equal(ids, targets, valid, shift) for shift in _SHIFTS),
        "marks": _marks(ids, targets, ~padded, empty),
    }


def _pair(batch: tuple) -> Optional[tuple]:
    """``(ids, targets)``, both (samples, places), where a step has just these two arrays of whole numbers beside masks."""
    found = [to_numpy(one) for one in tensors_in(batch)]
    found = [one for one in found if one.ndim == 2 and one.dtype.kind in "iu" and one.shape[1] > max(_SHIFTS) + 1]
    found = [one for one in found if not _is_mask(one)]
    if len(found) != 2 or found[0].shape != found[1].shape:
        return None
    ids, targets = (one.astype(np.int64) for one in found)
    return (ids, targets) if len(np.unique(ids)) >= max(_TOKENS, len(np.unique(targets))) else None


def _is_mask(array: np.ndarray) -> bool:
    """Zeros and ones that change once in a row at the most."""
    changes = (array[:, 1:] != array[:, :-1]).sum(1)
    return bool(np.isin(array, (0, 1)).all() and changes.max() <= 1)


def _moved(array: np.ndarray, shift: int) -> tuple:
    """The array with, in each place, what stands ``shift`` places later, and whether there is such a place."""
    places = np.arange(array.shape[1]) + shift
    inside = (places >= 0) & (places < array.shape[1])
    return array[:, places.clip(0, array.shape[1] - 1)], np.broadcast_to(inside, array.shape)


def _share(ids: np.ndarray, targets: np.ndarray, valid: np.ndarray, real: np.ndarray, shift: int) -> Optional[float]:
    """The share of places, in every second sample, whose target is the most frequent one of their token in the other samples."""
    tokens, inside = _moved(ids, shift)
    counted = valid & inside & _moved(real, shift)[0]
    even = (np.arange(len(ids)) % 2 == 0)[:, None]
    known, rest = counted & even, counted & ~even
    if not known.any() or not rest.any():
        return None
    table: dict = {}
    for token, target in zip(tokens[known].tolist(), targets[known].tolist()):
        held = table.setdefault(token, {})
        held[target] = held.get(target, 0) + 1
    best = {token: max(held, key=held.__getitem__) for token, held in table.items()}
    right = [best.get(token) == target for token, target in zip(tokens[rest].tolist(), targets[rest].tolist())]
    return float(np.mean(right))


def _equal(ids: np.ndarray, targets: np.ndarray, valid: np.ndarray, shift: int) -> float:
    tokens, inside = _moved(ids, shift)
    return float((tokens == targets)[valid & inside].mean())


def _marks(ids: np.ndarray, targets: np.ndarray, real: np.ndarray, empty: np.ndarray) -> bool:
    """Whether every sample begins with one and ends with one token, its targets begin at the first, and its last two places have
    none: the marks around the text have taken two places, and the targets know of neither."""
    lengths = real.sum(1)
    rows = np.arange(len(ids))
    if lengths.min() < 4 or not np.array_equal(real, np.arange(ids.shape[1]) < lengths[:, None]):
        return False
    first, last = ids[:, 0], ids[rows, lengths - 1]
    if len(np.unique(first)) > 1 or len(np.unique(last)) > 1 or (ids[:, 1] == first[0]).any():
        return False
    ends = np.stack([targets[rows, lengths - 1], targets[rows, lengths - 2]])
    without = (ends < 0).all() or (len(empty) == 1 and (ends == empty[0]).all())
    labelled = targets[:, 0]
    return bool(without and (labelled >= 0).all() and len(np.unique(labelled)) > 1)
