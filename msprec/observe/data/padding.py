"""Padding as it was delivered: its value, side and share in columns of sequences, beside the masks and "
"lengths that come with them."""

import re
from typing import Optional

import numpy as np

# elements of a column that are kept; sequences beyond them count as not seen
_MOST_ELEMENTS = 1 << 18
_MOST_COLUMNS = 16
_SHORTEST = 4
# how much more often than by chance a value must end (or begin) sequences in runs
_BEYOND_CHANCE = 5.0
# share of the sequences ending in a pad value that end in two of it or more; a word that is frequent there goes on less often
_GOES_ON = 0.4
_NOT_TOKENS = re.compile(r"mask|segment|token_type|position|pos_ids", re.IGNORECASE)
_MASKS = re.compile(r"mask|valid|padding", re.IGNORECASE)
_OTHER_MASKS = re.compile(r"loss|label|target|lm|output|decod|token_type|segment|position", re.IGNORECASE)
_LENGTHS = re.compile(r"len|length|valid", re.IGNORECASE)


class PaddingStatistics:
    """Keeps the first sequences of each column of a data set."""

    def __init__(self) -> None:
        self.kept, self.sizes = {}, {}

    def add(self, named: dict, batched: bool) -> None:
        """A delivered batch: column name → array."""
        if all(size >= _MOST_ELEMENTS for size in self.sizes.values()) and self.sizes:
            return
        for name, array in named.items():
            rows = array if batched else array[None]
            if rows.ndim not in (1, 2, 3) or rows.dtype.kind not in "fiub" or len(self.kept) >= _MOST_COLUMNS:
                continue
            if rows.ndim > 1 and rows.shape[1] < _SHORTEST and rows[0].size > 1:
                continue
            kept = self.kept.setdefault(name, [])
            kept.append(np.array(_one_value_a_step(rows) if rows.ndim == 3 else rows.reshape(rows.shape[0], -1)))
            self.sizes[name] = self.sizes.get(name, 0) + kept[-1].size

    def facts(self) -> list:
        """The entries ``padding`` of a data set: one for each column in which padding was found."""
        found = []
        for name, batches in self.kept.items():
            if max(batch.shape[1] for batch in batches) < _SHORTEST or _NOT_TOKENS.search(name):
                continue
            value = pad_value(batches)
            if value is not None:
                found.append(self._described(name, batches, value))
        return found

    def _described(self, name: str, batches: list, value: float) -> dict:
        right = [_run(batch[:, ::-1], value) for batch in batches]
        left = [np.minimum(_run(batch, value), batch.shape[1] - r) for batch, r in zip(batches, right)]
        if sum(int((run >= 2).sum()) for run in left) < 0.1 * sum(map(len, left)):
            # where little is padded in front, one such value there is a real one
            left = [np.where(run >= 2, run, 0) for run in left]
        inside = [(batch == value).sum(1) - r - f for batch, r, f in zip(batches, right, left)]
        rights, lefts, insides = (np.concatenate(part) for part in (right, left, inside))
        elements = sum(batch.size for batch in batches)
        entry = {
            "column": name,
            "rows": len(rights),
            "kind": "int" if batches[0].dtype.kind in "iub" else "float",
            "lengths": [min(b.shape[1] for b in batches), max(b.shape[1] for b in batches)],
            "value": float(value),
            "share": float((rights.sum() + lefts.sum()) / elements),
            "right_only": int(((rights > 0) & (lefts == 0)).sum()),
            "left_only": int(((lefts > 0) & (rights == 0)).sum()),
            "both": int(((lefts > 0) & (rights > 0)).sum()),
            "longest": int(max(rights.max(), lefts.max())),
            "inside": int(insides.sum()),
            "inside_rows": int((insides > 0).sum()),
            "mask": None,
            "length": None,
        }
        masks, lengths = [], []
        for other, theirs in self.kept.items():
            if other == name or len(theirs) < len(batches):
                continue
            pairs = list(zip(batches, theirs))
            if all(a.shape == b.shape for a, b in pairs) and _is_mask(theirs):
                found = {"column": other, **_beside_mask(pairs, left, right, value)}
                # segments, tags and the places that a loss counts are zeros and ones too, of the real elements
                if _named_mask(other) or found["padded_on"] + found["real_off"] <= 0.02 * (
                    found["padded"] + found["real"]
                ):
                    masks.append(found)
            elif all(b.shape == (len(a), 1) and b.dtype.kind in "iuf" for a, b in pairs):
                real = np.concatenate([a.shape[1] - r - f for a, r, f in zip(batches, right, left)])
                told = np.concatenate([b[:, 0] for _, b in pairs])
                # the first of the run may be a real value, such as an end mark
                agrees = float(((told == real) | (told == real + 1)).mean())
                named = _LENGTHS.search(other) is not None
                if named or _are_lengths(told, real, agrees):
                    lengths.append((named, agrees, other))
        if lengths:  # of several, such as those of inputs and of targets, the ones that fit best
            _, agrees, column = max(lengths, key=lambda one: one[:2])
            entry["length"] = {"column": column, "agrees": agrees}
        entry["mask"] = next((one for one in masks if _named_mask(one["column"])), masks[0] if masks else None)
        return entry


def _named_mask(name: str) -> bool:
    """Whether a column is called the mask of its sequences, rather than of what a loss counts or a model has to guess."""
    return _MASKS.search(name) is not None and _OTHER_MASKS.search(name) is None


def _are_lengths(told: np.ndarray, real: np.ndarray, agrees: float) -> bool:
    """Whether numbers that are not called lengths are those of the sequences all the same: nearly all fit, and they vary."""
    return agrees >= 0.95 and len(np.unique(told)) > 2 and len(np.unique(real)) > 2


def _one_value_a_step(rows: np.ndarray) -> np.ndarray:
    """(samples, steps, features) as (samples, steps): a step's value where all its features are equal, else NaN."""
    same = (rows == rows[..., :1]).all(-1) if rows.shape[2] > 1 else np.ones(rows.shape[:2], bool)
    return np.where(same, rows[..., 0].astype(np.float64), np.nan)


def _run(rows: np.ndarray, value: float) -> np.ndarray:
    """Length of the run of ``value`` with which each row begins: (rows,) int."""
    if not rows.size:
        return np.zeros(len(rows), np.int64)
    other = rows != value
    return np.where(other.any(1), other.argmax(1), rows.shape[1]).astype(np.int64)


def pad_value(batches: list) -> Optional[float]:
    """The value that fills up sequences, or None: it ends (or begins) many of them in runs of different lengths, far more often
    than its frequency elsewhere would have it."""
    batches = [batch for batch in batches if batch.shape[1] >= 2 and len(batch)]
    if not batches or _is_mask(batches):
        return None
    ends = np.concatenate(
        [
            side
            for batch in batches
            for side in (batch[batch[:, -1] == batch[:, -2], -1], batch[batch[:, 0] == batch[:, 1], 0])
        ]
    )
    values, counts = np.unique(ends[np.isfinite(ends)] if ends.dtype.kind == "f" else ends, return_counts=True)
    for value in values[np.argsort(-counts)][:4]:
        if _fills(batches, value):
            return float(value)
    return None


def _fills(batches: list, value: float) -> bool:
    found = []
    for batch in batches:
        right, left = _run(batch[:, ::-1], value), _run(batch, value)
        whole = right == batch.shape[1]
        found.append(
            (
                np.where(whole, 0, right),
                np.where(whole, 0, left),
                (batch == value).sum(1),
                np.full(len(batch), batch.shape[1]),
            )
        )
    right, left, total, length = (np.concatenate(part) for part in zip(*found))
    runs = np.maximum(right, left)
    rows, filled = len(runs), int((runs >= 2).sum())
    if filled < max(3, 0.02 * rows) or len(np.unique(runs[runs >= 2])) < 2:
        return False
    side = right if (right >= 2).sum() >= (left >= 2).sum() else left
    if (side >= 2).sum() < _GOES_ON * (side >= 1).sum():
        return False
    ended = np.where(right >= 2, right, 0) + np.where((left >= 2) & (left + right <= length), left, 0)
    elsewhere = max(1, int((length - ended).sum()))
    frequency = float((total - ended).sum()) / elsewhere
    if filled / rows < _BEYOND_CHANCE * 2 * frequency**2:
        return False
    # a word that is often repeated has such runs everywhere
    return filled >= rows / 2 or filled / rows >= _BEYOND_CHANCE * 2 * _pairs_inside(batches, value)


def _pairs_inside(batches: list, value: float) -> float:
    """How often a place and the next both hold ``value``, beyond the runs at the ends of the rows."""
    pairs = places = 0
    for batch in batches:
        is_value = batch[~(batch == value).all(1)] == value
        at_ends = sum(np.maximum(_run(side, True) - 1, 0).sum() for side in (is_value, is_value[:, ::-1]))
        pairs += int((is_value[:, 1:] & is_value[:, :-1]).sum() - at_ends)
        places += is_value.size
    return pairs / max(1, places)


def _is_mask(batches: list) -> bool:
    """Zeros and ones only."""
    return all(bool(((batch == 0) | (batch == 1)).all()) for batch in batches)


def _beside_mask(pairs: list, left: list, right: list, value: float) -> dict:
    """How a mask agrees with the padding: elements of each that contradict the other, either way of reading it.

    The first padded place of a run may be a real value (an end mark that also pads) and is not counted.
    """
    padded_on = real_off = padded = real = 0
    for (batch, mask), front, back in zip(pairs, left, right):
        places, width = np.arange(batch.shape[1])[None, :], batch.shape[1]
        is_padded = (places < front[:, None] - (front[:, None] > 0)) | (
            places >= width - back[:, None] + (back[:, None] > 0)
        )
        is_real = (places >= front[:, None]) & (places < width - back[:, None]) & (batch != value)
        on = mask != 0
        padded_on, real_off = padded_on + int((on & is_padded).sum()), real_off + int((~on & is_real).sum())
        padded, real = padded + int(is_padded.sum()), real + int(is_real.sum())
    other_way = (padded - padded_on) + (real - real_off)
    inverted = other_way < padded_on + real_off and other_way <= 0.02 * (padded + real)
    if inverted:  # ones mark the padding
        padded_on, real_off = padded - padded_on, real - real_off
    return {"padded": padded, "real": real, "padded_on": padded_on, "real_off": real_off, "inverted": bool(inverted)}
