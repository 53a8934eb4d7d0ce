"""Statistics of one delivered column, gathered batch by batch with NumPy."""

import math
from typing import Optional

import numpy as np

from msprec.observe.data.feature_relations import relations
from msprec.observe.data.histograms import Histograms

MAX_DISTINCT = 4096
MAX_VALUES = 1024
RESERVOIR_ROWS = 4096
RESERVOIR_FEATURES = 512
_BINS = 64
# channels or features that have a histogram each, its bins, and values of a batch that are counted
MAX_CHANNEL_HISTOGRAMS, CHANNEL_BINS = 12, 64
_COUNTED = 16384
#: Samples of a batch that are compared with each other, at least.
_REPEATED = 4
#: Channels of a picture, at most; more are features.
_FEW_CHANNELS = 16
# smallest whole number that is counted where a sample has many: labels to be left out are often -1 or -100
_LOWEST = -128


def _kind(dtype: np.dtype) -> str:
    return {"f": "float", "i": "int", "u": "int", "b": "bool", "U": "string", "S": "string", "O": "other"}.get(
        dtype.kind, "other"
    )


class _Moments:
    """Count, sum and sum of squares about a shift, per channel, in float64 (Chan's merging, so that no precision is lost)."""

    def __init__(self) -> None:
        self.count = None
        self.mean = self.m2 = self.low = self.high = None

    def add(self, block: np.ndarray) -> None:
        """``block``: (rows, channels), float; non-finite entries are left out."""
        if block.shape[1] <= _FEW_CHANNELS and np.isfinite(block).all():
            self._merge(*_of_each(np.ascontiguousarray(block.T)))
            return
        finite = np.isfinite(block)
        every = bool(finite.all())
        kept = block if every else np.where(finite, block, 0)
        count = np.full(block.shape[1], block.shape[0], np.float64) if every else finite.sum(0).astype(np.float64)
        safe = np.maximum(count, 1)
        mean = kept.sum(0, dtype=np.float64) / safe
        centred = kept - mean if every else np.where(finite, kept - mean, 0)
        m2 = np.einsum("ij,ij->j", centred, centred, dtype=np.float64)
        low = block.min(0) if every else np.where(finite, block, np.inf).min(0)
        high = block.max(0) if every else np.where(finite, block, -np.inf).max(0)
        self._merge(count, mean, m2, low, high)

    def _merge(self, count, mean, m2, low, high) -> None:
        if self.count is None or self.count.shape != count.shape:
            self.count, self.mean, self.m2, self.low, self.high = count, mean, m2, low, high
            return
        total = self.count + count
        safe = np.maximum(total, 1)
        delta = mean - self.mean
        self.mean = self.mean + delta * count / safe
        self.m2 = self.m2 + m2 + delta**2 * self.count * count / safe
        self.count = total
        self.low, self.high = np.minimum(self.low, low), np.maximum(self.high, high)

    def overall(self) -> tuple:
        """``(count, mean, std, min, max)`` over all channels together."""
        total = float(self.count.sum()) if self.count is not None else 0.0
        if not total:
            return 0, None, None, None, None
        mean = float((self.mean * self.count).sum() / total)
        m2 = float(self.m2.sum() + (self.count * (self.mean - mean) ** 2).sum())
        seen = self.count > 0
        return int(total), mean, math.sqrt(m2 / total), float(self.low[seen].min()), float(self.high[seen].max())

    def per_channel(self) -> dict:
        std = np.sqrt(self.m2 / np.maximum(self.count, 1))
        table = {"mean": self.mean, "std": std, "min": self.low, "max": self.high}
        return {key: [float(v) for v in values] for key, values in table.items()}


def _of_each(channels: np.ndarray) -> tuple:
    """``(count, mean, m2, low, high)`` of each row: of few long rows NumPy does so ten times as fast as of few columns."""
    count = np.full(len(channels), channels.shape[1], np.float64)
    mean = channels.mean(1, dtype=np.float64)
    centred = channels - mean[:, None]
    return count, mean, np.einsum("ij,ij->i", centred, centred), channels.min(1), channels.max(1)


def channel_axis(shape: tuple) -> Optional[int]:
    """The axis of a batch of that shape that holds channels (images) or features (2-D), or None."""
    if len(shape) == 4:
        return 1 if shape[1] in (1, 2, 3, 4) or shape[1] <= shape[3] else 3
    if len(shape) == 3:
        return 2
    return 1 if len(shape) == 2 else None


class ColumnStatistics:
    """All that is recorded of one column; `add` takes a batch, `facts` gives the entry of ``datasets.json``.

    ``histograms``: whether values are counted into histograms.
    """

    def __init__(self, name: str, histograms: bool = True) -> None:
        self.name, self.dtype, self.shape, self.kind = name, None, None, None
        self.batched, self.varying = True, False
        self.samples = self.elements = self.nan = self.inf = self.zeros = self.empty_strings = 0
        self.nonfinite_samples, self.first_nonfinite = 0, []
        self.repeated_batches = 0
        self.moments, self.axis = _Moments(), None
        self.counter, self.too_many = {}, False
        self.histogram, self.by_channel = Histograms(_BINS) if histograms else None, Histograms(CHANNEL_BINS)
        self.rows, self.row_count = [], 0
        self.sums = None
        self.elements_by_value = np.zeros(MAX_VALUES, np.int64)  # from _LOWEST on; None beyond

    def add(self, batch: np.ndarray, batched: bool, position: int) -> None:
        """``batch``: one column as delivered; ``batched``: the first axis counts samples; ``position``: samples before it."""
        if not batched:
            batch = batch[None]
        self.batched = self.batched and batched
        self.dtype, self.kind = str(batch.dtype), _kind(batch.dtype)
        self._note_shape(batch.shape[1:])
        self.samples += batch.shape[0]
        self.elements += batch.size
        if not batch.size:
            return
        if self.kind == "string":
            self.empty_strings += int((np.char.str_len(batch.astype(str)) == 0).sum())
        elif self.kind != "other":
            self._add_numbers(batch, position)
        if self.kind != "other" and batch[0].size == 1:
            self._count_values(batch.reshape(-1))

    def _note_shape(self, shape: tuple) -> None:
        if self.shape is None:
            self.shape = list(shape)
        elif list(shape) != self.shape:
            self.varying = True
            same_rank = len(shape) == len(self.shape)
            self.shape = [a if a == b else None for a, b in zip(self.shape, shape)] if same_rank else []

    def _add_numbers(self, batch: np.ndarray, position: int) -> None:
        values = batch.astype(np.float32) if batch.dtype.kind in "bf" and batch.dtype.itemsize < 4 else batch
        if self.kind == "float" and not np.isfinite(values).all():
            self._note_nonfinite(batch, values, position)
        if len(batch) >= _REPEATED:  # most batches are told by their last sample
            self.repeated_batches += int((batch[-1] == batch[0]).all() and (batch == batch[:1]).all())
        self.zeros += int(values.size - np.count_nonzero(values))
        axis = channel_axis(batch.shape)
        block = values.reshape(-1, 1) if axis is None else np.moveaxis(values, axis, -1).reshape(-1, values.shape[axis])
        self.axis = axis
        self.moments.add(block.astype(np.float64) if block.dtype.kind in "iu" else block)
        if self.histogram is not None:
            self._count_into_bins(block, block.shape[0] // batch.shape[0])
        if self.kind == "float" and batch.ndim == 2 and 1 < batch.shape[1] <= 4096:
            self._add_sums(values)
        if self.kind == "int" and batch[0].size > 1 and self.elements_by_value is not None:
            self._count_elements(batch)
        if self.kind == "float" and batch.ndim <= 2 and self.row_count < RESERVOIR_ROWS:
            rows = values.reshape(values.shape[0], -1)[: RESERVOIR_ROWS - self.row_count, :RESERVOIR_FEATURES]
            self.rows.append(np.array(rows, dtype=np.float64))
            self.row_count += rows.shape[0]

    def _count_elements(self, batch: np.ndarray) -> None:
        """Of class maps and tags: how often each value occurs, in a regular sample of a large batch."""
        low, high = self.moments.low.min(), self.moments.high.max()
        if low < _LOWEST or high >= _LOWEST + MAX_VALUES:
            self.elements_by_value = None
            return
        some = batch.reshape(-1)
        step = max(1, some.size // _COUNTED)
        while math.gcd(step, batch[0].size) > 1:  # else it would meet the same places of every sample
            step += 1
        counts = np.bincount(some[::step].astype(np.int64) - _LOWEST, minlength=MAX_VALUES)
        self.elements_by_value += counts * step

    def _element_values(self) -> Optional[dict]:
        counts = self.elements_by_value
        if counts is None or not counts.any():
            return None
        return {str(int(i) + _LOWEST): int(counts[i]) for i in np.flatnonzero(counts)}

    def _add_sums(self, values: np.ndarray) -> None:
        """Of rows that may be distributions over classes: how many add up to one."""
        with np.errstate(invalid="ignore"):
            sums = values.sum(1, dtype=np.float64)
        sums = sums[np.isfinite(sums)]
        if not sums.size:
            return
        old = self.sums or {"rows": 0, "one": 0, "zero": 0, "min": math.inf, "max": -math.inf}
        self.sums = {
            "rows": old["rows"] + int(sums.size),
            "one": old["one"] + int((np.abs(sums - 1) <= 0.01).sum()),
            "zero": old["zero"] + int((np.abs(sums) <= 1e-6).sum()),
            "min": min(old["min"], float(sums.min())),
            "max": max(old["max"], float(sums.max())),
        }

    def _note_nonfinite(self, batch: np.ndarray, values: np.ndarray, position: int) -> None:
        nan = np.isnan(values)
        self.nan += int(nan.sum())
        self.inf += int(np.isinf(values).sum())
        bad = np.flatnonzero(~np.isfinite(values).reshape(batch.shape[0], -1).all(1))
        self.nonfinite_samples += len(bad)
        room = 10 - len(self.first_nonfinite)
        self.first_nonfinite += [position + int(i) for i in bad[:room]]

    def _count_into_bins(self, block: np.ndarray, rows_a_sample: int) -> None:
        step = max(1, block.size // _COUNTED)
        # with a factor in common, a step would meet the same places of every sample
        while math.gcd(step, rows_a_sample) > 1:
            step += 1
        some, low, high = block[::step], self.moments.low, self.moments.high
        self.histogram.add(some.reshape(-1, 1), low.min(keepdims=True), high.max(keepdims=True), step)
        if 1 < block.shape[1] <= MAX_CHANNEL_HISTOGRAMS:
            self.by_channel.add(some, low, high, step)

    def _count_values(self, values: np.ndarray) -> None:
        if self.too_many:
            return
        unique, counts = np.unique(values, return_counts=True)
        for value, count in zip(unique.tolist(), counts.tolist()):
            key = self._key(value)
            self.counter[key] = self.counter.get(key, 0) + count
        if len(self.counter) > MAX_DISTINCT:
            self.too_many, self.counter = True, {}

    @staticmethod
    def _key(value) -> str:
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        return str(value)

    def facts(self) -> dict:
        """The column's entry of ``datasets.json``."""
        _, mean, std, low, high = self.moments.overall()
        one_value = self.counter and not self.too_many
        channels = None
        rows = np.concatenate(self.rows) if self._rows_agree() else None
        if self.axis is not None and self.moments.count is not None and len(self.moments.count) <= 4096:
            channels = {"axis": self.axis, **self.moments.per_channel(), "histograms": self._channel_histograms()}
        return {
            "name": self.name,
            "dtype": self.dtype,
            "kind": self.kind,
            "shape": self.shape,
            "batched": self.batched,
            "varying_shape": self.varying,
            "elements": self.elements,
            "nan": self.nan,
            "inf": self.inf,
            "first_nonfinite": self.first_nonfinite,
            "nonfinite_samples": self.nonfinite_samples,
            "min": low,
            "max": high,
            "mean": mean,
            "std": std,
            "zeros": self.zeros,
            "channels": channels,
            "histogram": _binned(self.histogram, 0) if self.histogram is not None else None,
            "distinct": len(self.counter) if one_value else None,
            "values": dict(sorted(self.counter.items())) if one_value and len(self.counter) <= MAX_VALUES else None,
            "suspects": find_suspects(rows) if rows is not None else [],
            "between_features": relations(rows) if rows is not None else None,
            "empty_strings": self.empty_strings,
            "row_sums": self.sums,
            "repeated_batches": self.repeated_batches,
            "element_values": self._element_values(),
        }

    def _channel_histograms(self) -> Optional[list]:
        counts = self.by_channel.counts
        if counts is None or len(counts) != len(self.moments.count):
            return None
        return [_binned(self.by_channel, i) or {"edges": [], "counts": []} for i in range(len(counts))]

    def _rows_agree(self) -> bool:
        return bool(self.rows) and len({rows.shape[1] for rows in self.rows}) == 1


def _binned(histograms: Histograms, i: int) -> Optional[dict]:
    edges = histograms.edges(i)
    return None if edges is None else {"edges": edges, "counts": histograms.counts[i].tolist()}


def find_suspects(rows: np.ndarray, at_most: int = 20) -> list:
    """Repeated extreme values, feature by feature: candidates for a mark of missing values.

    ``rows``: (samples, features) float64. A feature's smallest and largest value are listed when they occur at least three
    times and some other values exist; whether one is a mark is for the check to judge. Most frequent first.
    """
    found = []
    for feature in range(rows.shape[1]):
        column = rows[:, feature]
        finite = np.sort(column[np.isfinite(column)])
        for value, others in _extremes(finite) if finite.size >= 8 else ():
            count = int(finite.size - others.size)
            if count < 3 or others.size < 3 or count < 0.002 * finite.size:
                continue
            found.append(
                {
                    "feature": feature if rows.shape[1] > 1 else None,
                    "value": float(value),
                    "count": count,
                    "share": count / finite.size,
                    "nearest_other": float(others[0] if value < others[0] else others[-1]),
                    "others_low": _quantile(others, 0.05),
                    "others_high": _quantile(others, 0.95),
                    "others_distinct": 1 + int(np.count_nonzero(others[1:] != others[:-1])),
                    "first_samples": np.flatnonzero(column == value)[:10].tolist(),
                }
            )
    far = [s for s in found if _gap(s) > 0]
    return sorted(far, key=_gap, reverse=True)[:at_most]


def _extremes(values: np.ndarray) -> list:
    """``(value, the others)`` for the smallest and the largest of sorted values."""
    low, high = values[0], values[-1]
    ends = [(low, values[np.searchsorted(values, low, "right") :])]
    return ends + ([(high, values[: np.searchsorted(values, high, "left")])] if high != low else [])


def _quantile(values: np.ndarray, share: float) -> float:
    """As `numpy.quantile` of sorted values, at a tenth of its time."""
    at = (len(values) - 1) * share
    low, high = values[int(at)], values[min(int(at) + 1, len(values) - 1)]
    part = at - int(at)
    return float(high - (high - low) * (1 - part) if part >= 0.5 else low + (high - low) * part)


def _gap(suspect: dict) -> float:
    """How far the value stands from the others, in units of their spread."""
    spread = suspect["others_high"] - suspect["others_low"]
    return abs(suspect["value"] - suspect["nearest_other"]) / (spread or 1.0)
