"""What makes tensors equal that are not: a transposition, a reshape, the other of two layers. Nothing is judged here."""

import itertools
import math
from collections.abc import Callable
from typing import Optional

import numpy as np

from msprec.compare.errors import CannotRead
from msprec.compare.tensor_statistics import TensorPair, compare_arrays, of_one

#: Elements up to which transpositions are tried, and axes: four axes have 24 orders.
_MOST_ELEMENTS, _MOST_AXES = 4_000_000, 5
#: Failing pairs among which exchanged tensors are looked for.
_MOST_PAIRS = 400
#: Relative difference of the norms of what may be the same values in another order.
_NORMS = 1e-2


def transposition(p: np.ndarray, q: np.ndarray, passes: Callable[[TensorPair], bool]) -> str:
    """The call that makes ``q`` equal to ``p``, such as ``transpose(0, 3, 1, 2)``; empty where none does.

    Args:
        p, q: Two arrays of as many elements.
        passes: Whether a pair is near enough to count as equal.
    """
    if p.ndim != q.ndim or not 2 <= p.ndim <= _MOST_AXES or p.size > _MOST_ELEMENTS or p.dtype.kind not in "biuf":
        return ""
    if not _may_be_the_same(of_one(p), of_one(q)):
        return ""
    for axes in itertools.permutations(range(q.ndim)):
        if list(axes) != sorted(axes) and tuple(q.shape[axis] for axis in axes) == p.shape:
            pair = compare_arrays(p, np.ascontiguousarray(q.transpose(axes)))
            if passes(pair):
                return f"transpose{axes}"
    return ""


def _may_be_the_same(a, b) -> bool:
    """Whether two arrays may hold the same values in another order, by their statistics; constants tell nothing."""
    if (a.nan, a.inf) != (b.nan, b.inf) or a.norm is None or b.norm is None or a.min == a.max:
        return False
    scale = max(abs(a.max), abs(a.min), 1e-30)
    near = all(abs(x - y) <= _NORMS * scale for x, y in ((a.max, b.max), (a.min, b.min), (a.mean, b.mean)))
    return near and math.isclose(a.norm, b.norm, rel_tol=_NORMS)


def exchanged(rows: list, passes: Callable[[TensorPair], bool]) -> list:
    """Pairs of failing rows, each of whose two tensors equals the other row's: ``(row, row)``.

    Args:
        rows: Rows of `msprec.compare.tensors.compare.Compared`.
        passes: Whether a pair is near enough to count as equal.
    """
    failing = [row for row in rows if row.verdict == "no" and row.pair is not None and row.pair.a.norm][:_MOST_PAIRS]
    found, taken = [], set()
    for i, j in itertools.combinations(range(len(failing)), 2):
        x, y = failing[i], failing[j]
        if {i, j} & taken or (x.a.step, x.a.phase) != (y.a.step, y.a.phase):
            continue
        likely = _may_be_the_same(x.pair.a, y.pair.b) and _may_be_the_same(y.pair.a, x.pair.b)
        if likely and _equal(x.a, y.b, passes) and _equal(y.a, x.b, passes):
            found.append((x, y))
            taken |= {i, j}
    return found


def _equal(a, b, passes: Callable[[TensorPair], bool]) -> bool:
    p, q = _loaded(a), _loaded(b)
    return p is not None and q is not None and p.shape == q.shape and passes(compare_arrays(p, q))


def _loaded(item) -> Optional[np.ndarray]:
    try:
        return item.open().load() if item.open is not None else None
    except (CannotRead, MemoryError):
        return None
