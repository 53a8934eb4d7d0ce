"""Two sets of weights side by side: names, shapes, values, and what the first step did to each."""

import math
from typing import NamedTuple, Optional

import numpy as np

from msprec.compare.errors import CannotRead
from msprec.compare.parallel import on_all_cores
from msprec.compare.tensor_statistics import TensorPair, compare_arrays
from msprec.compare.weights.files import Weights
from msprec.compare.weights.parameter_matching import Match, Matched, match, squeezed

#: Relative difference that is rounding, by the coarser dtype of the two.
_ROUNDING = {"float16": 1e-3, "bfloat16": 8e-3}
_ROUNDING_ELSE = 1e-5
#: … and of what a training step changed: gradients of two frameworks agree to this.
_ROUNDING_OF_CHANGE = 1e-2
_EPSILON = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
_EPSILON_ELSE = 2.0**-24
#: Two tensors of at least so many elements have nothing in common when their cosine is within four standard errors of 0.
_MANY, _ERRORS = 100, 4.0


class WeightRow(NamedTuple):
    """A parameter on both sides.

    Attributes:
        match: The names and how they were matched.
        shapes, dtypes: Of either side.
        verdict: "identical", "rounding", "differs", "transposed" (equal once transposed), "shape", "unreadable".
        pair: The statistics; None where the shapes do not fit.
        spreads: Standard deviation of either side.
        spread_differs: Whether these differ by more than a random draw explains.
        error: Of "unreadable": why.
    """

    match: Match
    shapes: tuple
    dtypes: tuple
    verdict: str
    pair: Optional[TensorPair]
    spreads: tuple
    spread_differs: bool
    error: str = ""


class ComparedWeights(NamedTuple):
    """``rows`` in the order of the first file; ``matched`` holds the names that have no counterpart; ``since``: whether
    changes were compared."""

    rows: list
    matched: Matched
    since: bool


def compare_weights(
    a: Weights,
    b: Weights,
    renames: tuple = (),
    mapping: Optional[dict] = None,
    rtol: Optional[float] = None,
    since: Optional[tuple] = None,
) -> ComparedWeights:
    """Compares the weights ``b`` with the reference ``a``.

    Args:
        a, b: The two files.
        renames, mapping: See `msprec.compare.weights.parameter_matching.match`.
        rtol: Relative difference that counts as rounding; None: by the dtypes.
        since: Two earlier files: then what was added since them is compared, not the weights.

    Raises:
        CannotRead: No parameter of one has a counterpart in the other.
    """
    shapes = [{name: array.shape for name, array in side.arrays.items()} for side in (a, b)]
    matched = match(*shapes, renames, mapping)
    if not matched.pairs:
        raise CannotRead(
            f"no parameter of {a.path.name} fits one of {b.path.name}: "
            f"{_some(a)} beside {_some(b)}; give --rename PATTERN=REPLACEMENT or --map FILE"
        )
    pairs = [m for m in matched.pairs if since is None or _has(since, m)]
    rows = on_all_cores(lambda m: _row(a, b, m, rtol, since), pairs, "weights")
    return ComparedWeights(rows, matched, since is not None)


def _some(weights: Weights) -> str:
    return ", ".join(list(weights.arrays)[:3])


def _has(since: tuple, m: Match) -> bool:
    return m.a in since[0].arrays and m.b in since[1].arrays


def _row(a: Weights, b: Weights, m: Match, rtol: Optional[float], since: Optional[tuple]) -> WeightRow:
    x, y = a.arrays[m.a], b.arrays[m.b]
    shapes, dtypes = (x.shape, y.shape), (x.dtype, y.dtype)
    turned = len(x.shape) == 2 and x.shape == y.shape[::-1]
    if squeezed(x.shape) != squeezed(y.shape) and not turned:
        return WeightRow(m, shapes, dtypes, "shape", None, (None, None), False)
    try:
        p, q, floor = x.load(), y.load(), 0.0
        if since is not None:
            floor = 2 * _coarser(dtypes, _EPSILON, _EPSILON_ELSE) * float(np.abs(p).max(initial=0.0))
            p, q = _change(p, since[0].arrays[m.a]), _change(q, since[1].arrays[m.b])
    except CannotRead as error:
        return WeightRow(m, shapes, dtypes, "unreadable", None, (None, None), False, str(error))
    if rtol is None:
        rtol = _ROUNDING_OF_CHANGE if since is not None else _coarser(dtypes, _ROUNDING, _ROUNDING_ELSE)
    return _judged(m, shapes, dtypes, p, q, turned, rtol, floor)


def _coarser(dtypes: tuple, table: dict, otherwise: float) -> float:
    return max(table.get(dtype, otherwise) for dtype in dtypes)


def _change(now: np.ndarray, before) -> np.ndarray:
    if now.shape != before.shape:
        raise CannotRead("the shape has changed since")
    return now.astype(np.float64) - before.load()


def _judged(m: Match, shapes: tuple, dtypes: tuple, p, q, turned: bool, rtol: float, floor: float) -> WeightRow:
    square = shapes[0] == shapes[1]
    pair = compare_arrays(p, q, rtol, floor) if square or not turned else None
    verdict = _verdict(pair) if pair is not None else "shape"
    if turned and verdict in ("differs", "shape"):
        other = compare_arrays(p, np.ascontiguousarray(q.T), rtol, floor)
        if other.within == 1.0 and p.size > 1:
            pair, verdict = other, "transposed"
    if pair is None:
        return WeightRow(m, shapes, dtypes, "shape", None, (None, None), False)
    spreads = tuple(_spread(one, p.size) for one in (pair.a, pair.b))
    return WeightRow(m, shapes, dtypes, verdict, pair, spreads, _spreads_differ(spreads, p.size))


def _verdict(pair: TensorPair) -> str:
    if pair.identical:
        return "identical"
    return "rounding" if pair.within == 1.0 else "differs"


def _spread(one, count: int) -> Optional[float]:
    if one.norm is None or not count:
        return None
    return math.sqrt(max(0.0, one.norm**2 / count - one.mean**2))


def _spreads_differ(spreads: tuple, count: int) -> bool:
    """Whether the standard deviations differ by more than 5 % and by more than five standard errors of a random draw
    (1/√2n each, a little more for flat distributions)."""
    if None in spreads:
        return False
    low, high = sorted(spreads)
    tiny = 1e-12 * max(high, 1e-300)
    if low <= tiny or high <= tiny:
        return high > tiny
    return math.log(high / low) > max(0.05, 5 / math.sqrt(max(count, 1)))


def unrelated(rows: list) -> list:
    """The rows whose values have nothing in common: other random draws."""
    return [
        row
        for row in rows
        if row.verdict == "differs"
        and math.prod(row.shapes[0]) >= _MANY
        and all(row.spreads)
        and abs(row.pair.cosine) < _ERRORS / math.sqrt(math.prod(row.shapes[0]))
    ]


def common_factor(rows: list) -> Optional[float]:
    """By what factor all changes of ``b`` are longer than those of ``a`` in the same direction; None: there is none."""
    moved = [row.pair for row in rows if row.pair is not None and row.pair.a.norm and row.pair.b.norm]
    if len(moved) < 2 or any(pair.cosine < 0.999 for pair in moved):
        return None
    ratios = [pair.b.norm / pair.a.norm for pair in moved]
    middle = float(np.median(ratios))
    same = all(abs(ratio / middle - 1) < 0.02 for ratio in ratios)
    return middle if same and abs(middle - 1) > 0.02 else None
