"""Two dumps side by side: every pair measured and judged by a rule."""

import math
from typing import NamedTuple, Optional

import numpy as np

from msprec.compare.dumps.dump import Dump, DumpedTensor
from msprec.compare.errors import CannotRead
from msprec.compare.parallel import on_all_cores
from msprec.compare.tensor_statistics import One, TensorPair, compare_arrays
from msprec.compare.tensors.likeness import exchanged, transposition
from msprec.compare.tensors.tensor_matching import Paired, pair_dumps
from msprec.compare.weights.parameter_matching import squeezed

#: Relative difference of statistics, where there are no values.
_STATISTICS = 1e-3
#: A sum's rounding, relative to √n times the norm of what is added up.
_SUM = {"float16": 8e-3, "bfloat16": 6e-2}
_SUM_ELSE = 1e-6
#: Relative error up to which tensors of other shapes are the same values in the same order.
_RESHAPED = 1e-2


#: Verdicts that find nothing wrong.
GOOD = ("yes", "noise")


class Rule(NamedTuple):
    """How a pair is judged.

    Attributes:
        name: "ptdbg": no where cosine < 0.99 and max abs > 0.001, or cosine < 0.9, or max abs > 1; "allclose": every element
            within ``atol + rtol·|a|``; "cosine": no where the cosine is below ``cosine``.
        rtol, atol: Of "allclose", and of the share within tolerance in any case.
        cosine: Of "cosine"; precision_tool's default is 0.98.
    """

    name: str = "ptdbg"
    rtol: float = 1e-3
    atol: float = 1e-3
    cosine: float = 0.98

    def passes(self, pair: TensorPair) -> bool:
        """Whether a pair with values is accurate enough."""
        if pair.identical:
            return True
        if math.isinf(pair.max_abs) or (pair.a.nan, pair.a.inf) != (pair.b.nan, pair.b.inf):
            return False
        if self.name == "allclose":
            return pair.within == 1.0
        if self.name == "cosine":
            return pair.cosine >= self.cosine
        return not ((pair.cosine < 0.99 and pair.max_abs > 0.001) or pair.cosine < 0.9 or pair.max_abs > 1)


class TensorRow(NamedTuple):
    """A pair, measured.

    Attributes:
        a, b: The two items.
        how: How they were paired.
        verdict: "yes", "no", "shape", "unreadable", "noise" (a gradient that is the rounding of a sum that cancels out).
        shapes, dtypes: Of either side.
        pair: The measures; None without values on both sides.
        ones: The statistics of either side where values are missing.
        zeros: Of a dropout's output, the share of zeros on either side.
        error: Of "unreadable": why.
        remedy: What makes B equal to A, as a call: "reshape(64, 32)", "transpose(1, 0)"; else empty.
    """

    a: DumpedTensor
    b: DumpedTensor
    how: str
    verdict: str
    shapes: tuple
    dtypes: tuple
    pair: Optional[TensorPair] = None
    ones: Optional[tuple] = None
    zeros: Optional[tuple] = None
    error: str = ""
    remedy: str = ""


class ComparedDumps(NamedTuple):
    """``rows`` in the order of the reference; ``paired`` holds what has no counterpart; ``swapped``: pairs of rows, each of which
    holds the other's tensor."""

    a: Dump
    b: Dump
    rows: list
    paired: Paired
    rule: Rule
    swapped: tuple = ()


def compare_dumps(a: Dump, b: Dump, rule: Optional[Rule] = None, **pairing) -> ComparedDumps:
    """Compares the tensors of ``b`` with the reference ``a``.

    Args:
        a, b: The dumps.
        rule: How pairs are judged.
        pairing: What `msprec.compare.tensors.tensor_matching.pair_dumps` takes.

    Raises:
        CannotRead: Nothing of one has a counterpart in the other.
    """
    rule = rule or Rule()
    paired = pair_dumps(a, b, **pairing)
    if not paired.pairs:
        raise CannotRead(
            f"no tensor of {a.path.name} fits one of {b.path.name}: {_some(a)} beside {_some(b)}; "
            "give --rename PATTERN=REPLACEMENT, --map FILE or --pair order"
        )
    rows = on_all_cores(lambda pair: _row(*pair, rule), paired.pairs, "tensors")
    rows = _with_noise(rows)
    return ComparedDumps(a, b, rows, paired, rule, tuple(exchanged(rows, lambda pair: _equal(pair, rule))))


def _with_noise(rows: list) -> list:
    """The rows, with gradients that do not pass but are rounding alone marked as noise.

    A parameter's gradient is a sum over batch and positions. Where it cancels out, as that of a bias before a batch
    normalisation does, nothing but the rounding of the sum is left, at most about √n ‖incoming gradient‖ times the
    dtype's resolution, and the two sides have no digit in common.
    """
    incoming = {}
    for row in rows:
        if row.a.io == "input" and row.a.phase == "backward" and row.pair is not None:
            bound = math.sqrt(math.prod(row.shapes[0])) * (row.pair.a.norm or 0.0)
            key = (row.a.step, row.a.op)
            incoming[key] = max(incoming.get(key, 0.0), bound)
    return [row._replace(verdict="noise") if _is_noise(row, incoming) else row for row in rows]


def _is_noise(row: TensorRow, incoming: dict) -> bool:
    if row.verdict != "no" or row.a.io != "gradient" or row.pair is None:
        return False
    bound = max(_SUM.get(dtype, _SUM_ELSE) for dtype in row.dtypes) * incoming.get((row.a.step, row.a.op), 0.0)
    return row.pair.a.norm is not None and max(row.pair.a.norm, row.pair.b.norm or 0.0) <= bound


def _some(dump: Dump) -> str:
    return ", ".join(item.name for item in dump.items[:2])


def _row(a: DumpedTensor, b: DumpedTensor, how: str, rule: Rule) -> TensorRow:
    try:
        return _measured(a, b, how, rule)
    except CannotRead as error:
        return TensorRow(a, b, how, "unreadable", (a.shape, b.shape), (a.dtype, b.dtype), error=str(error))
    except MemoryError:
        return TensorRow(a, b, how, "unreadable", (a.shape, b.shape), (a.dtype, b.dtype), error="not enough memory")


def _measured(a: DumpedTensor, b: DumpedTensor, how: str, rule: Rule) -> TensorRow:
    x, y = (item.open() if item.open is not None else None for item in (a, b))
    shapes = tuple(side.shape if side is not None else item.shape for side, item in ((x, a), (y, b)))
    dtypes = tuple(
        (side.dtype if side is not None else "") if not item.dtype else item.dtype for side, item in ((x, a), (y, b))
    )
    other = None not in shapes and squeezed(shapes[0]) != squeezed(shapes[1])
    if other and (math.prod(shapes[0]) != math.prod(shapes[1]) or x is None or y is None):
        return TensorRow(a, b, how, "shape", shapes, dtypes)
    if x is None or y is None:
        ones = tuple(item.one if side is None else _one(side.load()) for side, item in ((x, a), (y, b)))
        return TensorRow(a, b, how, _by_statistics(ones, shapes), shapes, dtypes, ones=ones)
    p, q = x.load(), y.load()
    if p.dtype.kind in "SU" or q.dtype.kind in "SU":
        same = p.dtype.kind == q.dtype.kind and np.array_equal(p, q)
        return TensorRow(a, b, how, "yes" if same else "no", shapes, dtypes)
    half = dtypes[0] if dtypes[0] == dtypes[1] and dtypes[0] in ("float16", "bfloat16") else None
    pair = compare_arrays(p, q, rule.rtol, rule.atol, half)
    if other:  # the same values in the same order tell a reshape
        if _equal(pair, rule):
            return TensorRow(a, b, how, "shape", shapes, dtypes, pair, remedy=_reshape(shapes[0]))
        remedy = transposition(p, q, lambda moved: _equal(moved, rule))
        return TensorRow(a, b, how, "shape", shapes, dtypes, remedy=remedy)
    passes = rule.passes(pair)
    remedy = _reshape(shapes[0]) if passes and shapes[0] != shapes[1] else ""
    remedy = remedy if passes else transposition(p, q, lambda moved: _equal(moved, rule))
    zeros = tuple(1 - np.count_nonzero(v) / max(v.size, 1) for v in (p, q)) if is_random(a) or is_random(b) else None
    return TensorRow(a, b, how, "yes" if passes else "no", shapes, dtypes, pair, zeros=zeros, remedy=remedy)


def _equal(pair: TensorPair, rule: Rule) -> bool:
    """Whether two tensors are the same values, and not only near enough for the rule."""
    return rule.passes(pair) and pair.relative <= _RESHAPED


def _reshape(shape: tuple) -> str:
    return f"reshape({', '.join(map(str, shape))})"


def is_random(item: DumpedTensor) -> bool:
    """Whether the tensor is what a dropout made."""
    return item.io == "output" and item.phase == "forward" and "drop" in f"{item.kind or item.op}".lower()


def _one(values: np.ndarray) -> One:
    from msprec.compare.tensor_statistics import of_one

    return of_one(values)


def _by_statistics(ones: tuple, shapes: tuple) -> str:
    """ "yes" where all that both sides know is near, relative to the larger of maximum and minimum; the mean to the spread."""
    a, b = ones
    if (a.nan or 0, a.inf or 0) != (b.nan or 0, b.inf or 0):
        return "no"
    known = [abs(v) for v in (a.max, a.min) if v is not None and math.isfinite(v)]
    scale = max(known, default=0.0)
    near = all(_near(getattr(a, key), getattr(b, key), max(scale, 1e-30)) for key in ("max", "min", "mean"))
    return "yes" if near and _near(a.norm, b.norm, max(abs(a.norm or 0), 1e-30)) else "no"


def _near(x: Optional[float], y: Optional[float], scale: float) -> bool:
    if x is None or y is None:
        return True
    return x == y or abs(x - y) <= _STATISTICS * scale or (math.isnan(x) and math.isnan(y))


def error_of(row: TensorRow) -> float:
    """How far the two sides are apart, relative to the reference; inf where they cannot be compared."""
    if row.verdict == "unreadable" or (row.verdict == "shape" and row.pair is None):
        return math.inf
    if row.pair is not None:
        mismatch = (row.pair.a.nan, row.pair.a.inf) != (row.pair.b.nan, row.pair.b.inf)
        return math.inf if mismatch else row.pair.relative
    if row.ones is None:
        return 0.0 if row.verdict == "yes" else math.inf
    a, b = row.ones
    scale = max((abs(v) for v in (a.max, a.min) if v is not None and math.isfinite(v)), default=0.0) or 1e-30
    found = [
        abs(getattr(a, k) - getattr(b, k)) / scale
        for k in ("max", "min", "mean")
        if getattr(a, k) is not None and getattr(b, k) is not None
    ]
    return math.inf if row.verdict == "no" and not found else max(found, default=0.0)


def worst_first(rows: list) -> list:
    """Rows that do not pass, the farthest apart first, then the others."""

    def key(row):
        cosine = row.pair.cosine if row.pair is not None else 0.0
        return row.verdict in GOOD, row.verdict == "no", cosine, -min(error_of(row), 1e300)

    return sorted(rows, key=key)
