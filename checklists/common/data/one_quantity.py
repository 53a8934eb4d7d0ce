"""Are the features of one column one quantity, as the pixels of a flattened picture, or several, as the columns of a table?"""

import math
from typing import NamedTuple, Optional

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


class _Feature(NamedTuple):
    low: float
    high: float
    mean: float
    std: float

    @property
    def of_two_values(self) -> bool:
        """Whether it holds its bounds only, as a one-hot feature: then its variance is (mean - low)(high - mean)."""
        most = (self.mean - self.low) * (self.high - self.mean)
        return most > 0 and self.std**2 >= 0.98 * most


def is_one_quantity(run_data: RunData, column: Fact) -> bool:
    """Whether all features of a column measure the same thing in the same unit.

    So they do where a share of dp.01.shared of them, four at least, reach both the least and the greatest value of the whole
    array, and nothing speaks against it: there are 256 levels at most, or neighbours go together (dp.01.neighbours). One-hot
    features share their bounds by construction and do not count. Where bounds are not shared (pictures standardised one by
    one, windows of a series), neighbours have to correlate more than distant features do, and to have scales alike.
    """
    features = _varying(column)
    if len(features) < run_data.limit("dp.01.features"):
        return False
    known = column.between_features
    if _share_bounds(run_data, column, features):
        said = known.levels is not None or known.neighbours is not None
        goes_together = known.neighbours is not None and known.neighbours >= run_data.limit("dp.01.neighbours")
        return not said or known.levels is not None or goes_together
    return _is_smooth(run_data, known, features)


def _varying(column: Fact) -> list:
    channels = column.channels
    rows = [_Feature(*row) for row in zip(channels.min, channels.max, channels.mean, channels.std) if None not in row]
    return [row for row in rows if row.std > 0]


def _share_bounds(run_data: RunData, column: Fact, features: list) -> bool:
    if column.min is None or column.max is None:
        return False
    near = 0.005 * (column.max - column.min)
    counted = [row for row in features if not row.of_two_values]
    sharing = [row for row in counted if row.low - column.min <= near and column.max - row.high <= near]
    return len(sharing) >= max(4, run_data.limit("dp.01.shared") * len(counted))


def _is_smooth(run_data: RunData, known: Fact, features: list) -> bool:
    """Neighbours correlate, more than distant features do, and their scales change little from one to the next."""
    if known.neighbours is None or known.apart is None or len(features) < run_data.limit("dp.01.smooth_features"):
        return False
    if known.neighbours < run_data.limit("dp.01.smooth") or known.neighbours < known.apart + run_data.limit(
        "dp.01.smoother"
    ):
        return False
    sizes = [max(abs(row.low), abs(row.high)) for row in features]
    steps = [abs(math.log(a / b)) for a, b in zip(sizes, sizes[1:]) if a > 0 and b > 0]
    return bool(steps) and sorted(steps)[int(0.9 * len(steps))] <= math.log(10)


def is_apart(column: Fact, value: float) -> Optional[bool]:
    """Whether a value lies apart from all others of one quantity, by a fifth of their range; None where it is not known."""
    edges, counts = column.histogram.edges, column.histogram.counts
    if not counts or len(edges) != len(counts) + 1:
        return None
    filled = [(edges[i], edges[i + 1]) for i, count in enumerate(counts) if count]
    # of a bin around the value only the bounds of the features tell what else it holds
    beside = [bound for low, high in filled if not low <= value <= high for bound in (low, high)]
    bounds = {*column.channels.min, *column.channels.max}
    others = [*beside, *(bound for bound in bounds if bound is not None and bound != value)]
    return bool(others) and min(abs(value - other) for other in others) > 0.2 * (max(others) - min(others))
