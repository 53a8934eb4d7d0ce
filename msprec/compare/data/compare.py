"""What two data pipelines deliver: the same samples, in the same order, scaled and laid out alike?

Batches come as files: `save_batches` writes them, in MindSpore and in PyTorch alike.
"""

import hashlib
import math
from collections import Counter
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np

from msprec.compare.arrays import open_npy, open_npz
from msprec.compare.dumps.dump import files_below, natural
from msprec.compare.errors import CannotRead

#: Two samples are equal whose projections differ by no more than this share of the sample's norm.
_EQUAL = 1e-5
_PROJECTIONS = 8
#: Correlation from which on one column is a linear function of the other.
_LINEAR = 0.99999
#: Elements of the first samples that are kept to look for scales and layouts.
_KEPT = 1 << 22


def save_batches(batches, folder, most: int = 100) -> int:
    """Writes the first batches of a pipeline, one ``.npz`` a batch, to be compared with another pipeline's.

    Args:
        batches: An iterable of batches: tuples, lists or dictionaries of tensors (of MindSpore, PyTorch or NumPy), or tensors.
        folder: The folder to write.
        most: How many batches to write.

    Returns:
        int, how many were written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for batch in batches:
        if count >= most:
            break
        named = (
            batch
            if isinstance(batch, dict)
            else dict(enumerate(batch if isinstance(batch, (tuple, list)) else [batch]))
        )
        arrays = {
            f"column_{name}" if isinstance(name, int) else str(name): _array(value) for name, value in named.items()
        }
        np.savez(folder / f"batch_{count:06d}.npz", **arrays)
        count += 1
    return count


def _array(value) -> np.ndarray:
    if hasattr(value, "asnumpy"):
        return value.asnumpy()
    if hasattr(value, "detach"):
        return value.detach().cpu().numpy()
    return np.asarray(value)


class Column(NamedTuple):
    """A column over all its samples.

    Attributes:
        name, dtype: As in the files.
        shape: Of a sample; None: they differ.
        digests: (n,) of each sample's bytes.
        marks: (n, 8) projections of each sample, and in ``norms`` (n,) its norm.
        first: The values of the first samples.
        stats: ``(min, max, mean, std)`` over the finite elements, and in ``bad`` how many are not finite.
    """

    name: str
    dtype: str
    shape: Optional[tuple]
    digests: list
    marks: np.ndarray
    norms: np.ndarray
    first: np.ndarray
    stats: tuple
    bad: int


def read_data(path) -> list:
    """The columns of a folder of batches (``.npz``, or ``.npy`` for a single column), or of one file.

    Raises:
        CannotRead: There are none, or a file cannot be read.
    """
    path = Path(path)
    if path.is_dir():
        files = sorted(files_below(path, ".npz", ".npy"), key=lambda file: natural(str(file.relative_to(path))))
    else:
        files = [path] if path.suffix in (".npz", ".npy") else []
    if not files or not path.exists():
        raise CannotRead(f"{path}: no batches (.npz or .npy; msprec.compare.data.compare.save_batches writes them)")
    gatherers = {}
    for file in files:
        arrays = open_npz(file) if file.suffix == ".npz" else {"data": open_npy(file)}
        for name, array in arrays.items():
            values = array.load()
            gatherers.setdefault(name, _Gatherer(name)).add(values[None] if values.ndim == 0 else values)
    return [gatherer.column() for gatherer in gatherers.values()]


class _Gatherer:
    """Collects a column batch by batch."""

    def __init__(self, name: str) -> None:
        self.name, self.dtypes, self.shapes, self.digests, self.marks, self.norms = name, Counter(), set(), [], [], []
        self.first, self.kept, self.projection = [], 0, {}
        self.count = self.bad = 0
        self.low, self.high, self.sum, self.square = math.inf, -math.inf, 0.0, 0.0

    def add(self, values: np.ndarray) -> None:
        """Takes the samples of a batch."""
        self.dtypes[values.dtype.name] += 1
        self.shapes.add(values.shape[1:])
        plain = np.ascontiguousarray(values)
        self.digests += [hashlib.blake2b(sample.tobytes(), digest_size=16).digest() for sample in plain]
        if self.kept < _KEPT:
            self.first.append(plain)
            self.kept += plain.size
        flat = plain.reshape(len(plain), -1)
        if flat.dtype.kind not in "biuf":
            self.marks.append(np.full((len(plain), _PROJECTIONS), np.nan))
            self.norms.append(np.full(len(plain), np.nan))
            return
        flat = flat.astype(np.float64)
        self._measure(flat)
        finite = np.where(np.isfinite(flat), flat, 0.0)
        self.marks.append(finite @ self._directions(flat.shape[1]))
        self.norms.append(np.linalg.norm(finite, axis=1))

    def _directions(self, size: int) -> np.ndarray:
        if size not in self.projection:
            made = np.random.RandomState(12345).standard_normal((size, _PROJECTIONS))
            self.projection[size] = made / max(math.sqrt(size), 1.0)
        return self.projection[size]

    def _measure(self, flat: np.ndarray) -> None:
        kept = flat[np.isfinite(flat)]
        self.bad += flat.size - kept.size
        self.count += kept.size
        if kept.size:
            self.low, self.high = min(self.low, float(kept.min())), max(self.high, float(kept.max()))
            self.sum, self.square = self.sum + float(kept.sum()), self.square + float(kept @ kept)

    def column(self) -> Column:
        """What was collected."""
        mean = self.sum / self.count if self.count else math.nan
        std = math.sqrt(max(0.0, self.square / self.count - mean**2)) if self.count else math.nan
        same = len(self.shapes) == 1
        first = np.concatenate(self.first) if same else np.zeros(0)
        stats = (self.low, self.high, mean, std) if self.count else (math.nan,) * 4
        return Column(
            self.name,
            self.dtypes.most_common(1)[0][0],
            next(iter(self.shapes)) if same else None,
            self.digests,
            np.concatenate(self.marks),
            np.concatenate(self.norms),
            first,
            stats,
            self.bad,
        )


class Difference(NamedTuple):
    """Two columns, compared.

    Attributes:
        a, b: The columns.
        in_order: How many samples are equal at the same position, of ``compared``.
        common: How many samples both have, wherever; None: not looked for, as all are equal in order.
        relation: ``("layout", axes, relation)``, ``("channels", axis)``, ``("linear", factor, offset)`` or None: what turns the
            first samples of a into those of b.
    """

    a: Column
    b: Column
    compared: int
    in_order: int
    common: Optional[int]
    relation: Optional[tuple]


class ComparedData(NamedTuple):
    """``columns`` paired by name, else by position; ``only_a``, ``only_b``: names without a counterpart; ``rows``: how many
    samples are equal in all columns together, wherever they come."""

    columns: list
    only_a: list
    only_b: list
    rows: int


def compare_data(a: list, b: list) -> ComparedData:
    """Compares the columns ``b`` with the reference ``a``, as `read_data` gives both: paired by name, else by their place."""
    pairs = _pairs(a, b)
    found = [_compared(x, y) for x, y in pairs]
    paired_a, paired_b = {x.name for x, _ in pairs}, {y.name for _, y in pairs}
    rows = _common_rows(found)
    return ComparedData(
        found, [x.name for x in a if x.name not in paired_a], [y.name for y in b if y.name not in paired_b], rows
    )


def _pairs(a: list, b: list) -> list:
    names = {y.name: y for y in b}
    by_name = [(x, names[x.name]) for x in a if x.name in names]
    if by_name:
        return by_name
    return list(zip(a, b))


def _compared(x: Column, y: Column) -> Difference:
    compared = min(len(x.digests), len(y.digests))
    equal = sum(map(bool, _equal(x, y, np.arange(compared), np.arange(compared)))) if compared else 0
    if equal == compared and len(x.digests) == len(y.digests):
        return Difference(x, y, compared, equal, None, None)
    relation = _relation(x.first, y.first) if equal < compared else None
    return Difference(x, y, compared, equal, len(_matches(x, y)), relation)


def _equal(x: Column, y: Column, at_x: np.ndarray, at_y: np.ndarray) -> np.ndarray:
    """Whether the samples at these positions are equal, but for rounding."""
    same = np.array([x.digests[i] == y.digests[j] for i, j in zip(at_x, at_y)], bool)
    if x.shape is None or x.shape != y.shape:
        return same if x.dtype == y.dtype else np.zeros(len(same), bool)
    scale = np.maximum(np.maximum(x.norms[at_x], y.norms[at_y]) / math.sqrt(max(math.prod(x.shape), 1)), 1e-30)
    with np.errstate(invalid="ignore"):
        near = (np.abs(x.marks[at_x] - y.marks[at_y]) <= _EQUAL * scale[:, None]).all(axis=1)
    same = same if x.dtype == y.dtype else np.zeros(len(same), bool)
    return same | near


def _matches(x: Column, y: Column) -> list:
    """``(position in x, position in y)`` of samples that both have, each used once."""
    places = {}
    for j, digest in enumerate(y.digests):
        places.setdefault(digest, []).append(j)
    found, left = [], []
    exact = x.dtype == y.dtype and x.shape == y.shape
    for i, digest in enumerate(x.digests):
        if exact and places.get(digest):
            found.append((i, places[digest].pop(0)))
        else:
            left.append(i)
    taken = {j for _, j in found}
    return found + _near_matches(x, y, left, [j for j in range(len(y.digests)) if j not in taken])


def _near_matches(x: Column, y: Column, left_x: list, left_y: list) -> list:
    """The same for samples that are equal but for rounding: neighbours in the first projection are looked at."""
    if not left_x or not left_y or x.shape is None or x.shape != y.shape or np.isnan(x.marks).any():
        return []
    order = np.array(left_y)[np.argsort(y.marks[left_y, 0])]
    keys, used, found = y.marks[order, 0], set(), []
    for i in left_x:
        width = _EQUAL * max(x.norms[i] / math.sqrt(max(math.prod(x.shape), 1)), 1e-30) * 2
        low, high = np.searchsorted(keys, (x.marks[i, 0] - width, x.marks[i, 0] + width))
        for j in order[low:high][:100]:
            if j not in used and _equal(x, y, np.array([i]), np.array([j]))[0]:
                used.add(j)
                found.append((i, int(j)))
                break
    return found


def _common_rows(found: list) -> int:
    """Samples that are the same in every column: the widest column tells which is which."""
    if not found:
        return 0
    widest = max(found, key=lambda d: math.prod(d.a.shape or (1,)))
    if widest.common is None:
        pairs = [(i, i) for i in range(widest.compared)]
    else:
        pairs = _matches(widest.a, widest.b)
    if not pairs:
        return 0
    at_x, at_y = (np.array(side) for side in zip(*pairs))
    fits = at_x < min(len(d.a.digests) for d in found)
    fits &= at_y < min(len(d.b.digests) for d in found)
    good = np.ones(int(fits.sum()), bool)
    for difference in found:
        good &= _equal(difference.a, difference.b, at_x[fits], at_y[fits])
    return int(good.sum())


# --- what turns one into the other --------------------------------------------------------------------------------
def _relation(x: np.ndarray, y: np.ndarray) -> Optional[tuple]:
    """A layout, an order of channels or a scale that turns the first samples of one into those of the other."""
    count = min(len(x), len(y))
    if not count or x.dtype.kind not in "biuf" or y.dtype.kind not in "biuf":
        return None
    x, y = x[:count].astype(np.float64), y[:count].astype(np.float64)
    if x.shape == y.shape:
        return _in_place(x, y)
    if x.ndim == 4 and y.ndim == 4:
        for axes in ((0, 3, 1, 2), (0, 2, 3, 1)):
            turned = x.transpose(axes)
            if turned.shape == y.shape:
                inner = None if np.allclose(turned, y, rtol=1e-4, atol=1e-6) else _in_place(turned, y)
                if inner or np.allclose(turned, y, rtol=1e-4, atol=1e-6):
                    return ("layout", axes[1:], inner)
    return None


def _in_place(x: np.ndarray, y: np.ndarray) -> Optional[tuple]:
    for axis in (1, 3):
        if x.ndim == 4 and x.shape[axis] == 3 and np.allclose(np.flip(x, axis), y, rtol=1e-4, atol=1e-6):
            return ("channels", axis)
    flat_x, flat_y = x.reshape(-1), y.reshape(-1)
    kept = np.isfinite(flat_x) & np.isfinite(flat_y)
    flat_x, flat_y = flat_x[kept], flat_y[kept]
    if flat_x.size < 3 or flat_x.std() == 0 or flat_y.std() == 0:
        return None
    factor, offset = np.polyfit(flat_x, flat_y, 1)
    if abs(np.corrcoef(flat_x, flat_y)[0, 1]) < _LINEAR:
        return None
    return ("linear", float(factor), float(offset))
