"""What two tensors have in common, in one pass over both in pieces that stay in the processor's cache."""

import math
from typing import NamedTuple, Optional

import numpy as np

#: Elements of a piece.
_PIECE = 1 << 15


class One(NamedTuple):
    """A tensor by itself; over the finite elements, None where there are none.

    Attributes:
        nan, inf: Counts of elements.
        norm: Euclidean norm.
    """

    max: Optional[float]
    min: Optional[float]
    mean: Optional[float]
    norm: Optional[float]
    nan: int = 0
    inf: int = 0


class Pair(NamedTuple):
    """Two tensors of the same number of elements; ``a`` is the reference.

    Attributes:
        a, b: Each by itself.
        cosine: ⟨a,b⟩ ÷ ‖a‖‖b‖ over elements finite in both; 1 when both are zero, 0 when one is.
        max_abs, mean_abs: Of |a − b| over elements finite in both; an element finite in one alone makes max_abs infinite.
        max_rel: The largest |a − b| ÷ |a|; inf where a is 0 and b is not.
        within: Share of elements with |a − b| ≤ atol + rtol·|a| (NaN agrees with NaN, an infinity with itself).
        identical: Whether every element is equal.
        ulp: The largest distance in units of the last place, of half-precision tensors, else None.
    """

    a: One
    b: One
    cosine: float
    max_abs: float
    mean_abs: float
    max_rel: float
    within: float
    identical: bool
    ulp: Optional[int] = None


class _Sums:
    """What is added up over the pieces."""

    def __init__(self) -> None:
        self.aa = self.bb = self.ab = self.sum_a = self.sum_b = self.sum_d = 0.0
        self.max_a = self.max_b = self.max_d = self.max_r = -math.inf
        self.min_a = self.min_b = math.inf
        self.close = self.both = self.count_a = self.count_b = 0
        self.nan_a = self.nan_b = self.inf_a = self.inf_b = 0
        self.identical, self.one_sided = True, False


def compare_arrays(a: np.ndarray, b: np.ndarray, rtol: float = 1e-3, atol: float = 1e-3, ulp: bool = False) -> Pair:
    """Compares two arrays of as many elements, in the order of their elements.

    Args:
        a: The reference.
        b: The other.
        rtol, atol: The tolerance of ``within``, relative to ``a``.
        ulp: Count units of the last place of float16 as well (both must be float16).
    """
    x, y = _flat(a), _flat(b)
    wide = np.result_type(x.dtype, y.dtype)
    wide = np.dtype(np.float32) if wide == np.float16 else wide
    wide = wide if wide.kind == "f" else np.dtype(np.float64)
    sums, work = _Sums(), _Work(min(_PIECE, max(x.size, 1)), wide)
    for begin in range(0, x.size, _PIECE):
        p, q = x[begin : begin + _PIECE], y[begin : begin + _PIECE]
        p = p if p.dtype == wide else p.astype(wide)
        q = q if q.dtype == wide else q.astype(wide)
        _add(sums, p, q, work, rtol, atol)
    return _result(sums, x.size, _ulps(x, y) if ulp else None)


class _Work:
    """Room for a piece's intermediate values."""

    def __init__(self, size: int, dtype: np.dtype) -> None:
        self.difference, self.size_a = np.empty(size, dtype), np.empty(size, dtype)
        self.close = np.empty(size, bool)
        self.tiny = np.finfo(dtype).tiny


def _flat(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "c":
        array = np.ascontiguousarray(array).view(array.real.dtype)
    return array.reshape(-1)


def _add(sums: _Sums, p: np.ndarray, q: np.ndarray, work: _Work, rtol: float, atol: float) -> None:
    with np.errstate(all="ignore"):
        aa, sum_a = float(np.dot(p, p)), float(p.sum(dtype=p.dtype))
        same = np.array_equal(p, q)
        bb, sum_b = (aa, sum_a) if same else (float(np.dot(q, q)), float(q.sum(dtype=q.dtype)))
        # a sum is finite only where every element is; where it is not, or runs over, the careful way is taken
        if not (math.isfinite(aa) and math.isfinite(bb) and math.isfinite(sum_a) and math.isfinite(sum_b)):
            _add_carefully(sums, p, q, rtol, atol)
            return
        high, low, count = float(p.max()), float(p.min()), p.size
        sums.aa, sums.bb, sums.sum_a, sums.sum_b = sums.aa + aa, sums.bb + bb, sums.sum_a + sum_a, sums.sum_b + sum_b
        sums.max_a, sums.min_a = max(sums.max_a, high), min(sums.min_a, low)
        sums.both, sums.count_a, sums.count_b = sums.both + count, sums.count_a + count, sums.count_b + count
        if same:
            sums.ab, sums.close = sums.ab + aa, sums.close + count
            sums.max_b, sums.min_b = max(sums.max_b, high), min(sums.min_b, low)
            sums.max_d, sums.max_r = max(sums.max_d, 0.0), max(sums.max_r, 0.0)
            return
        sums.identical = False
        sums.ab += float(np.dot(p, q))
        sums.max_b, sums.min_b = max(sums.max_b, float(q.max())), min(sums.min_b, float(q.min()))
        _add_difference(sums, p, q, work, rtol, atol)


def _add_difference(sums: _Sums, p, q, work: _Work, rtol: float, atol: float) -> None:
    d, size, close = work.difference[: p.size], work.size_a[: p.size], work.close[: p.size]
    np.subtract(p, q, out=d)
    np.abs(d, out=d)
    np.abs(p, out=size)
    sums.max_d = max(sums.max_d, float(d.max()))
    sums.sum_d += float(d.sum(dtype=d.dtype))
    # where the reference is 0 the quotient is inf, but for a difference of 0
    quotient = np.divide(d, size, out=work.difference[: p.size]) if size.all() else _quotient(d, size)
    sums.max_r = max(sums.max_r, float(quotient.max()))
    np.subtract(p, q, out=d)
    np.abs(d, out=d)
    size *= size.dtype.type(rtol)
    size += size.dtype.type(atol)
    np.less_equal(d, size, out=close)
    sums.close += int(np.count_nonzero(close))


def _quotient(d: np.ndarray, size: np.ndarray) -> np.ndarray:
    found = d / size
    found[d == 0] = 0.0
    return found


def _add_carefully(sums: _Sums, p: np.ndarray, q: np.ndarray, rtol: float, atol: float) -> None:
    """As `_add`, in float64 and with elements that are not finite."""
    p, q = p.astype(np.float64), q.astype(np.float64)
    finite_p, finite_q = np.isfinite(p), np.isfinite(q)
    for side, values, finite in (("a", p, finite_p), ("b", q, finite_q)):
        nan = int(np.isnan(values).sum())
        kept = values[finite]
        _raise(sums, f"nan_{side}", nan)
        _raise(sums, f"inf_{side}", values.size - kept.size - nan)
        _raise(sums, f"count_{side}", kept.size)
        if kept.size:
            _raise(sums, f"sum_{side}", float(kept.sum()))
            setattr(sums, f"max_{side}", max(getattr(sums, f"max_{side}"), float(kept.max())))
            setattr(sums, f"min_{side}", min(getattr(sums, f"min_{side}"), float(kept.min())))
    same = (p == q) | (np.isnan(p) & np.isnan(q))
    sums.identical &= bool(same.all())
    both = finite_p & finite_q
    sums.one_sided |= bool((~same & ~both).any())
    sums.close += int((same & ~both).sum())
    p, q = p[both], q[both]
    if not p.size:
        return
    sums.both += p.size
    sums.aa, sums.bb, sums.ab = sums.aa + float(p @ p), sums.bb + float(q @ q), sums.ab + float(p @ q)
    d, size = np.abs(p - q), np.abs(p)
    sums.max_d, sums.sum_d = max(sums.max_d, float(d.max())), sums.sum_d + float(d.sum())
    sums.max_r = max(sums.max_r, float(_quotient(d, size).max()))
    sums.close += int((d <= atol + rtol * size).sum())


def _raise(sums: _Sums, name: str, by) -> None:
    setattr(sums, name, getattr(sums, name) + by)


def _result(sums: _Sums, count: int, ulp: Optional[int]) -> Pair:
    max_d = math.inf if sums.one_sided else max(sums.max_d, 0.0)
    return Pair(
        _one(sums, "a"), _one(sums, "b"), _cosine(sums), max_d,
        sums.sum_d / sums.both if sums.both else 0.0, math.inf if sums.one_sided else max(sums.max_r, 0.0),
        sums.close / count if count else 1.0, sums.identical, ulp,
    )  # fmt: skip


def _one(sums: _Sums, side: str) -> One:
    def get(name):
        return getattr(sums, f"{name}_{side}")

    count, square = get("count"), sums.aa if side == "a" else sums.bb
    if not count:
        return One(None, None, None, None, get("nan"), get("inf"))
    return One(get("max"), get("min"), get("sum") / count, math.sqrt(square), get("nan"), get("inf"))


def _cosine(sums: _Sums) -> float:
    if sums.aa == 0 or sums.bb == 0:
        return 1.0 if sums.aa == sums.bb else 0.0
    return max(-1.0, min(1.0, sums.ab / math.sqrt(sums.aa) / math.sqrt(sums.bb)))


def _ulps(x: np.ndarray, y: np.ndarray) -> Optional[int]:
    """The largest number of float16 steps between two elements; NaN beside a number counts as all of them."""
    if x.dtype != np.float16 or y.dtype != np.float16:
        return None
    largest = 0
    for begin in range(0, x.size, _PIECE):
        p, q = x[begin : begin + _PIECE], y[begin : begin + _PIECE]
        gone = np.isnan(p) | np.isnan(q)
        steps = np.abs(_ordered(p) - _ordered(q))[~gone]
        largest = max(largest, int(steps.max(initial=0)))
        if (np.isnan(p) ^ np.isnan(q)).any():
            return 1 << 16
    return largest


def _ordered(values: np.ndarray) -> np.ndarray:
    """Whole numbers in the order of the float16 numbers, neighbours one apart."""
    bits = np.ascontiguousarray(values).view(np.int16).astype(np.int32)
    return np.where(bits < 0, -(bits & 0x7FFF), bits)
