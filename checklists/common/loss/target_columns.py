"""The targets of a loss in the whole of their column: which column they are, and how many lie beyond a range (cg.04)."""

import contextlib
import math
from typing import NamedTuple, Optional

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: As far beyond the range as this share of the targets' own range is not beyond.
_SLACK = 1e-2


class Beyond(NamedTuple):
    """``below`` and ``above`` of ``elements`` lie beyond a range; ``low`` and ``high``: the least and the largest target;
    ``column``: the name of the column, where its values were counted; ``values``: how many different ones lie beyond."""

    below: int
    above: int
    elements: int
    low: float
    high: float
    column: Optional[str]
    values: int

    @property
    def number(self) -> int:
        return self.below + self.above


def column_of(run_data: RunData, targets: Fact) -> Optional[tuple]:
    """``(data set, column)`` of the training data that the targets are; None where that is not plain.

    The column at the place of the step's input, where a batch has as many columns as the step has inputs; else the only
    one that it can be. Their types have to be the same, and the column has to hold the range of the batches.
    """
    if targets.input is None or not targets.shape or not targets.factor or targets.min is None or targets.max is None:
        return None
    found = []
    for dataset in run_data.datasets_of("train"):
        fitting = [i for i, one in enumerate(dataset.columns) if _fits(one, targets)]
        same_count = len(dataset.columns) == targets.inputs
        if targets.input in fitting and same_count:
            found.append((dataset, dataset.columns[targets.input]))
        elif len(fitting) == 1 and not same_count:
            found.append((dataset, dataset.columns[fitting[0]]))
    return found[0] if len(found) == 1 else None


def _fits(column: Fact, targets: Fact) -> bool:
    if column.min is None or column.max is None or column.varying_shape or column.dtype != targets.input_dtype:
        return False
    low, high = sorted((end - (targets.offset or 0.0)) / targets.factor for end in (targets.min, targets.max))
    slack = 1e-3 * max(column.max - column.min, abs(column.max), 1e-9)
    if None in column.shape or None in targets.shape[1:]:
        return False
    same_size = math.prod(column.shape) == math.prod(targets.shape[1:])
    return same_size and column.min - slack <= low and high <= column.max + slack


def beyond_range(targets: Fact, column: Optional[tuple], low: Optional[float], high: Optional[float]) -> Beyond:
    """How many targets lie below ``low`` or above ``high``: of the column where its values were counted, else of the
    batches that were held."""
    held = Beyond(
        targets.below or 0,
        targets.above or 0,
        targets.elements,
        targets.min,
        targets.max,
        None,
        targets.beyond_values or 0,
    )
    if column is None:
        return held
    dataset, one = column
    factor, offset = targets.factor or 1.0, targets.offset or 0.0
    counted = _counted(one, factor, offset)
    ends = sorted(factor * end + offset for end in (one.min, one.max))
    total = sum(counted.values())
    if not total:
        return held._replace(low=ends[0], high=ends[1])
    slack = _SLACK * (ends[1] - ends[0])
    below = sum(n for value, n in counted.items() if low is not None and value < low - slack)
    above = sum(n for value, n in counted.items() if high is not None and value > high + slack)
    # what a range cuts off at its very ends shows in the batches, not in the bins of a histogram
    if not (below or above) and held.number:
        return held._replace(low=ends[0], high=ends[1])
    values = sum((low is not None and v < low - slack) or (high is not None and v > high + slack) for v in counted)
    passes = _passes(dataset)
    return Beyond(
        round(below / passes), round(above / passes), round(total / passes), ends[0], ends[1], one.name, values
    )


def _counted(column: Fact, factor: float, offset: float) -> dict:
    """``{value: count}`` of a column: its values where they are few, else the middles of its histogram's bins."""
    if column.values:
        return {factor * value + offset: n for value, n in _numbers(column.values).items()}
    found: dict[float, float] = {}
    for histogram in [column.histogram] if column.histogram.counts else column.channels.histograms:
        for left, right, n in zip(histogram.edges, histogram.edges[1:], histogram.counts):
            middle = factor * min(max((left + right) / 2, column.min), column.max) + offset
            if n:
                found[middle] = found.get(middle, 0) + n
    return found


def _numbers(values: dict) -> dict:
    """Those of counted values that are numbers: a record may have been edited."""
    found = {}
    for value, n in values.items():
        with contextlib.suppress(ValueError):
            found[float(value)] = n
    return found


def _passes(dataset: Fact) -> int:
    """How many times each sample was counted; 1 where the passes are not whole."""
    whole = dataset.passes and dataset.samples_per_pass and dataset.samples == dataset.passes * dataset.samples_per_pass
    return dataset.passes if whole and dataset.scanned.samples == dataset.samples else 1
