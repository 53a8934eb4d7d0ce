"""What two tensors have in common, in one pass over both in pieces that stay in the processor's cache."""

import math
from typing import NamedTuple, Optional

import numpy as np

#: Elements of a piece.
_PIECE = 1 << 16


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


class TensorPair(NamedTuple):
    """Two tensors of the same number of elements; ``a`` is the reference.

    Attributes:
        a, b: Each by itself.
        cosine: ⟨a,b⟩ ÷ ‖a‖‖b‖ over elements finite in both; 1 when both are zero, 0 when one is.
        max_abs, mean_abs: Of |a − b| over elements finite in both; an element finite in one alone makes max_abs infinite.
        max_rel: The largest |a − b| ÷ |a|; inf where a is 0 and b is not.
        relative: ‖a − b‖ ÷ ‖a‖ over elements finite in both; inf where a is all 0 and b is not.
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
    relative: float
    within: float
    identical: bool
    ulp: Optional[int] = None


def of_one(values: np.ndarray) -> One:
    """The statistics of one array, of any kind of number."""
    flat = _flat(np.asarray(values))
    if flat.dtype.kind not in "biuf":
        return One(None, None, None, None)
    flat = flat.astype(np.float64)
    kept = flat[np.isfinite(flat)]
    nan = int(np.isnan(flat).sum())
    if not kept.size:
        return One(None, None, None, None, nan, flat.size - nan)
    with np.errstate(over="ignore"):
        norm = float(np.linalg.norm(kept))
    norm = norm if math.isfinite(norm) else None
    return One(float(kept.max()), float(kept.min()), float(kept.mean()), norm, nan, flat.size - kept.size - nan)


class _Sums:
    """What is added up over the pieces."""

    def __init__(self) -> None:
        self.aa = self.bb = self.ab = self.dd = self.sum_a = self.sum_b = self.sum_d = 0.0
        self.max_a = self.max_b = self.max_d = self.max_r = -math.inf
        self.min_a = self.min_b = math.inf
        self.close = self.both = self.count_a = self.count_b = 0
        self.nan_a = self.nan_b = self.inf_a = self.inf_b = 0
        self.identical, self.one_sided = True, False


def compare_arrays(
    a: np.ndarray, b: np.ndarray, rtol: float = 1e-3, atol: float = 1e-3, half: Optional[str] = None
) -> TensorPair:
    """Compares two arrays of as many elements, in the order of their elements.

    Args:
        a: The reference.
        b: The other.
        rtol, atol: The tolerance of ``within``, relative to ``a``.
        half: "float16" or "bfloat16": count units of the last place of that format as well.
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
    return _result(sums, x.size, _ulps(x, y, half) if half else None)


class _Work:
    """Room for a piece's intermediate values."""

    def __init__(self, size: int, dtype: np.dtype) -> None:
        self.difference, self.size_a, self.other = (np.empty(size, dtype) for _ in range(3))
        self.close = np.empty(size, bool)
        self.ones = np.ones(size, dtype)  # a sum is a product with ones: the fastest way


def _flat(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "c":
        array = np.ascontiguousarray(array).view(array.real.dtype)
    return array.reshape(-1)


def _add(sums: _Sums, p: np.ndarray, q: np.ndarray, work: _Work, rtol: float, atol: float) -> None:
    count = p.size
    ones, d = work.ones[:count], work.difference[:count]
    with np.errstate(all="ignore"):
        aa, bb, ab = float(np.dot(p, p)), float(np.dot(q, q)), float(np.dot(p, q))
        # these are finite only where every element is; where they are not, or run over, the careful way is taken
        if not (math.isfinite(aa) and math.isfinite(bb) and math.isfinite(ab)):
            _add_carefully(sums, p, q, rtol, atol)
            return
        sums.aa, sums.bb, sums.ab = sums.aa + aa, sums.bb + bb, sums.ab + ab
        sums.sum_a, sums.sum_b = sums.sum_a + float(np.dot(p, ones)), sums.sum_b + float(np.dot(q, ones))
        sums.max_a, sums.min_a = max(sums.max_a, float(p.max())), min(sums.min_a, float(p.min()))
        sums.max_b, sums.min_b = max(sums.max_b, float(q.max())), min(sums.min_b, float(q.min()))
        sums.both, sums.count_a, sums.count_b = sums.both + count, sums.count_a + count, sums.count_b + count
        np.subtract(p, q, out=d)
        np.abs(d, out=d)
        most = float(d.max())
        sums.max_d, sums.max_r = max(sums.max_d, most), max(sums.max_r, 0.0)
        if most == 0:
            sums.close += count
            return
        sums.identical = False
        sums.sum_d, sums.dd = sums.sum_d + float(np.dot(d, ones)), sums.dd + float(np.dot(d, d))
        _add_relative(sums, p, d, most, work, rtol, atol)


def _add_relative(
    sums: _Sums, p: np.ndarray, d: np.ndarray, most: float, work: _Work, rtol: float, atol: float
) -> None:
    size, other, close = (room[: p.size] for room in (work.size_a, work.other, work.close))
    np.abs(p, out=size)
    np.divide(d, size, out=other)
    largest = float(other.max())
    # where the reference is 0 the quotient is infinite, or NaN for a difference of 0, which counts as none
    sums.max_r = max(sums.max_r, largest if math.isfinite(largest) else float(_quotient(d, size).max()))
    if most <= atol:
        sums.close += p.size
        return
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
    sums.dd += float(d @ d)
    sums.max_r = max(sums.max_r, float(_quotient(d, size).max()))
    sums.close += int((d <= atol + rtol * size).sum())


def _raise(sums: _Sums, name: str, by) -> None:
    setattr(sums, name, getattr(sums, name) + by)


def _result(sums: _Sums, count: int, ulp: Optional[int]) -> TensorPair:
    max_d = math.inf if sums.one_sided else max(sums.max_d, 0.0)
    return TensorPair(
        _one(sums, "a"),
        _one(sums, "b"),
        _cosine(sums),
        max_d,
        sums.sum_d / sums.both if sums.both else 0.0,
        math.inf if sums.one_sided else max(sums.max_r, 0.0),
        _relative(sums),
        sums.close / count if count else 1.0,
        sums.identical,
        ulp,
    )


def _one(sums: _Sums, side: str) -> One:
    def get(name):
        return getattr(sums, f"{name}_{side}")

    count, square = get("count"), sums.aa if side == "a" else sums.bb
    if not count:
        return One(None, None, None, None, get("nan"), get("inf"))
    return One(get("max"), get("min"), get("sum") / count, math.sqrt(square), get("nan"), get("inf"))


def _relative(sums: _Sums) -> float:
    if sums.one_sided or (sums.aa == 0 and sums.dd > 0):
        return math.inf
    return math.sqrt(sums.dd / sums.aa) if sums.aa else 0.0


def _cosine(sums: _Sums) -> float:
    if sums.aa == 0 or sums.bb == 0:
        return 1.0 if sums.aa == sums.bb else 0.0
    return max(-1.0, min(1.0, sums.ab / math.sqrt(sums.aa) / math.sqrt(sums.bb)))


def _ulps(x: np.ndarray, y: np.ndarray, half: str) -> Optional[int]:
    """The largest number of half-precision steps between two elements; NaN beside a number counts as all of them."""
    largest = 0
    for begin in range(0, x.size, _PIECE):
        p, q = x[begin : begin + _PIECE], y[begin : begin + _PIECE]
        gone = np.isnan(p) | np.isnan(q)
        if (np.isnan(p) ^ np.isnan(q)).any():
            return 1 << 16
        largest = max(largest, int(np.abs(_ordered(p, half) - _ordered(q, half))[~gone].max(initial=0)))
    return largest


def _ordered(values: np.ndarray, half: str) -> np.ndarray:
    """Whole numbers in the order of the half-precision numbers, neighbours one apart."""
    if half == "bfloat16":
        bits = np.ascontiguousarray(values, np.float32).view(np.int32) >> 16
    else:
        bits = np.ascontiguousarray(values, np.float16).view(np.int16).astype(np.int32)
    return np.where(bits < 0, -(bits & 0x7FFF), bits)
