"""The order in which samples were delivered: fingerprints of samples, compared pass by pass."""

from typing import Optional

import numpy as np

MAX_SAMPLES = 200_000
SKETCH = 512
_WORDS = 32
_SEGMENTS = 16
_RNG_FREE = np.array([pow(6364136223846793005, i + 1, 2**64) | 1 for i in range(2 * _WORDS)], dtype=np.uint64)


def sample_keys(column: np.ndarray) -> np.ndarray:
    """One 64-bit fingerprint a sample: (samples,) uint64, from at most 64 strided elements of each."""
    rows = column.shape[0]
    if column.dtype.kind in "USO":
        return np.array([_text_key(row) for row in column], dtype=np.uint64)
    flat = np.ascontiguousarray(column.reshape(rows, -1))
    if flat.shape[1] == 0:
        return np.zeros(rows, np.uint64)
    step = max(1, flat.shape[1] // (2 * _WORDS))
    # float64 holds every value of the narrower types exactly; the bit pattern makes the key, so NaN counts too
    picked = flat[:, ::step][:, : 2 * _WORDS]
    bits = picked.view(np.uint64) if picked.dtype.itemsize == 8 and picked.flags.c_contiguous else None
    if bits is None:
        bits = np.ascontiguousarray(picked.astype(np.float64)).view(np.uint64)
    mixed = (bits ^ (bits >> np.uint64(29))) * _RNG_FREE[: bits.shape[1]]
    return (mixed ^ (mixed >> np.uint64(32))).sum(1, dtype=np.uint64)


def _text_key(row) -> int:
    import zlib

    return zlib.crc32(str(row.tolist() if isinstance(row, np.ndarray) else row).encode("utf-8", "replace"))


class PassOrder:
    """The order of one pass: fingerprints and labels, at most MAX_SAMPLES of each; ``looked_at`` False: its samples are counted
    only."""

    def __init__(self, iterator: int, number: int = 1, looked_at: bool = True) -> None:
        self.iterator, self.number, self.looked_at, self.samples, self.batches = iterator, number, looked_at, 0, 0
        self.complete, self.trained = False, False
        #: Batches delivered since the last training step
        self.waiting = 0
        self._keys, self._labels, self._kept = [], [], 0

    @property
    def full(self) -> bool:
        """Whether no more of it are kept."""
        return not self.looked_at or self._kept >= MAX_SAMPLES

    def count(self, samples: int) -> None:
        """A batch of so many samples, that is not looked at."""
        self.samples += samples
        self.batches += 1
        self.waiting += 1

    def add(self, keys: np.ndarray, labels: Optional[np.ndarray]) -> None:
        self.count(len(keys))
        if self.full:
            return
        self._kept += len(keys)
        self._keys.append(keys)
        if labels is not None:
            self._labels.append(labels)

    def rounds(self) -> int:
        """Of how many times the same samples, batch by batch in any order, it consists: two batches or more each time; else 1.

        The sum of the fingerprints of a set does not depend on its order (Clarke et al. 2003), so that twice the batches have
        twice the sum.
        """
        if len(self._keys) != self.batches or self._kept != self.samples:
            return 1
        sums = np.cumsum([one.sum(dtype=np.uint64) for one in self._keys], dtype=np.uint64)
        sizes = np.cumsum([len(one) for one in self._keys])
        lengths = np.arange(2, len(sums) // 2 + 1)
        twice = (sums[2 * lengths - 1] == sums[lengths - 1] * np.uint64(2)) & (
            sizes[2 * lengths - 1] == 2 * sizes[lengths - 1]
        )
        for length in lengths[twice]:
            ends = np.arange(length - 1, len(sums), length)
            times = np.arange(1, len(ends) + 1)
            if len(sums) % length == 0 and (sums[ends] == sums[length - 1] * times.astype(np.uint64)).all():
                return len(ends)
        return 1

    def split(self, parts: int) -> list:
        """The pass cut into ``parts`` of equal length, as a ``repeat`` put them together."""
        keys, labels = self.keys, self.labels
        size = self.samples // parts
        if len(keys) != self.samples or size * parts != self.samples:
            return [self]
        made = []
        for index, start in enumerate(range(0, self.samples, size)):
            part = PassOrder(self.iterator, (self.number - 1) * parts + index + 1)
            part.add(keys[start : start + size], None if labels is None else labels[start : start + size])
            part.batches, part.complete, part.trained = max(1, self.batches // parts), True, self.trained
            made.append(part)
        return made

    @property
    def keys(self) -> np.ndarray:
        return np.concatenate(self._keys) if self._keys else np.zeros(0, np.uint64)

    @property
    def labels(self) -> Optional[np.ndarray]:
        if not self._labels or sum(map(len, self._labels)) != self._kept:
            return None
        return np.concatenate(self._labels)


class NewPass:
    """Tells where a loop over plain arrays begins again, by the fingerprints of its samples.

    A batch of samples that came before begins a new pass, provided that hardly any came twice until then: samples drawn
    with replacement, or too few distinct ones, give no passes. Where the second batch is the first in any order, each batch
    is a pass.
    """

    def __init__(self) -> None:
        self._seen, self._samples, self._repeated, self.given_up = set(), 0, 0, False
        #: The fingerprints of the first batch in their order by size, until another batch came
        self._whole: Optional[np.ndarray] = None

    def begins(self, keys: np.ndarray) -> bool:
        """Takes the fingerprints of the next batch; True when it is the first of a new pass."""
        if len(keys) and self._is_whole(keys):
            return True
        if self.given_up or not len(keys):
            return False
        batch = set(keys.tolist())
        known = len(batch & self._seen)
        if self._seen and known >= 0.8 * len(batch):
            self._seen, self._samples, self._repeated = batch, len(keys), len(keys) - len(batch)
            return True
        self._samples += len(keys)
        self._repeated += known + len(keys) - len(batch)
        self._seen |= batch
        self.given_up = self._samples > MAX_SAMPLES or self._repeated > max(1, 0.02 * self._samples)
        if self.given_up:
            self._seen = set()
        return False

    def _is_whole(self, keys: np.ndarray) -> bool:
        """Whether this batch, and each before it, is the first in any order."""
        if not self._samples:
            self._whole = np.sort(keys)
            return False
        if self._whole is not None and not np.array_equal(self._whole, np.sort(keys)):
            self._whole = None
        return self._whole is not None


def _label_order(labels: Optional[np.ndarray]) -> dict:
    """How mixed the labels are: changes between neighbours, and dependence of the label on the position."""
    none = {
        "labels_seen": None,
        "label_changes": None,
        "expected_changes": None,
        "label_segment_dependence": None,
        "random_runs_dependence": None,
    }
    if labels is None or len(labels) < 8:
        return none
    classes, index, counts = np.unique(labels, return_inverse=True, return_counts=True)
    n, k = len(labels), len(classes)
    if k < 2 or k > max(2, n // 4):
        return none
    pairs = 1.0 - float((counts * (counts - 1.0)).sum()) / (n * (n - 1.0))
    changes = int((index[1:] != index[:-1]).sum())
    return {
        "labels_seen": n,
        "label_changes": changes,
        "expected_changes": (n - 1) * pairs,
        "label_segment_dependence": _on_position(index, k),
        "random_runs_dependence": _of_random_runs(index, k) if changes < 0.5 * (n - 1) * pairs else None,
    }


def _on_position(index: np.ndarray, classes: int) -> float:
    """The dependence of the class on the position, by segments of the pass."""
    n = len(index)
    joint = np.zeros((_SEGMENTS, classes))
    np.add.at(joint, (np.minimum(np.arange(n) * _SEGMENTS // n, _SEGMENTS - 1), index), 1)
    return _dependence(joint / n, n)


def _of_random_runs(index: np.ndarray, classes: int) -> float:
    """The same where runs of one class stay as they are and come in random order: what runs alone bring about."""
    runs = np.split(index, np.flatnonzero(index[1:] != index[:-1]) + 1)
    own = np.random.default_rng(0)  # not the script's
    drawn = [_on_position(np.concatenate([runs[i] for i in own.permutation(len(runs))]), classes) for _ in range(4)]
    return float(np.mean(drawn))


def _dependence(joint: np.ndarray, n: int) -> float:
    """Mutual information over the label's entropy, less the bias (K-1)(S-1)/2n that chance alone gives (Miller 1955)."""
    rows, columns = joint.sum(1, keepdims=True), joint.sum(0, keepdims=True)
    mask = joint > 0
    information = float((joint[mask] * np.log(joint[mask] / (rows @ columns)[mask])).sum())
    bias = (joint.shape[0] - 1) * (joint.shape[1] - 1) / (2.0 * n)
    entropy = float(-(columns[columns > 0] * np.log(columns[columns > 0])).sum())
    return max(0.0, information - bias) / entropy if entropy else 0.0


def _common_share(first: PassOrder, other: PassOrder) -> Optional[float]:
    """Share of the other pass's samples, by fingerprint, that the first pass delivered too; None: a pass was cut short."""
    a, b = first.keys, other.keys
    if not len(b) or len(a) != first.samples or len(b) != other.samples or not first.complete:
        return None
    return float(np.isin(b, a).mean())


def _compare(first: PassOrder, other: PassOrder) -> dict:
    """Position by position against the first pass; a random augmentation leaves the labels to compare."""
    a, b = first.keys, other.keys
    n = min(len(a), len(b))
    if n < 2 or min(first.batches, other.batches) < 2:
        return {"same_order_as_first": None, "compared_samples": n, "equal_samples": None}
    equal, expected = int((a[:n] == b[:n]).sum()), _expected_equal(a[:n], b[:n])
    found = {"compared_samples": n, "equal_samples": equal, "expected_equal": round(expected, 2)}
    if len(np.unique(a[:n])) < 2 or expected >= 0.99 * n:
        return {"same_order_as_first": None, **found}
    if equal < 0.999 * n and _labels_repeat(first, other, n):
        return {"same_order_as_first": True, **found, "equal_samples": n}
    return {"same_order_as_first": equal >= 0.999 * n, **found}


def _expected_equal(a: np.ndarray, b: np.ndarray) -> float:
    """Positions at which two random orders of these samples agree: copies of one sample stand in for each other."""
    mine, counts = np.unique(a, return_counts=True)
    theirs, others = np.unique(b, return_counts=True)
    _, here, there = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
    return float((counts[here].astype(np.float64) * others[there]).sum() / max(1, len(a)))


def _labels_repeat(first: PassOrder, other: PassOrder, n: int) -> bool:
    """Equal label sequences that change so often that chance cannot explain it."""
    a, b = first.labels, other.labels
    if a is None or b is None:
        return False
    return bool((a[:n] == b[:n]).all()) and int((a[1:n] != a[: n - 1]).sum()) >= 20


def sketch(one: PassOrder) -> Optional[dict]:
    """The smallest `SKETCH` of the mixed fingerprints of a pass, by which ranks compare what each was given; None: cut short.

    A sketch of the smallest hashes keeps the same part of every set, so shares of it are shares of the sets (Broder 1997).
    """
    keys = one.keys
    if not len(keys) or len(keys) != one.samples:
        return None
    unique = np.unique(keys)
    mixed = unique.copy()
    # splitmix64, so that small keys do not all come from one kind of sample
    with np.errstate(over="ignore"):
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    smallest = np.sort(mixed)[:SKETCH]
    return {
        "pass": one.number,
        "samples": one.samples,
        "distinct": len(unique),
        "whole": len(unique) <= SKETCH,
        "keys": [f"{int(key):016x}" for key in smallest],
    }


def order_facts(passes: list) -> list:
    """The entries ``order.passes`` of ``datasets.json``; each pass is compared with the first of ``passes``."""
    facts = []
    for one in passes[:8] + passes[8:][-1:]:
        entry = {
            "pass": one.number,
            "samples": one.samples,
            "complete": one.complete,
            "iterator": one.iterator,
            "first_keys": [f"{int(k):016x}" for k in one.keys[:8]],
            "same_order_as_first": None,
            "compared_samples": None,
            "equal_samples": None,
            "expected_equal": None,
            "common_share": None,
            **_label_order(one.labels),
        }
        if one is not passes[0]:
            entry.update(_compare(passes[0], one), common_share=_common_share(passes[0], one))
        facts.append(entry)
    return facts
