"""Data sets whose features have two values each, as those of a truth table (XOR, parity) do."""

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: What the deviation of a feature of two values, each in half of the samples, may differ by from half of its range.
_NEARLY = 0.02


def has_two_values(dataset: Fact) -> bool:
    """Whether each feature lies at its two ends alone, in as many samples at either: it deviates by half of its range."""
    features = [feature for one in _inputs(dataset) for feature in _features(one)]
    return all(
        None not in (low, high, std) and abs(high - low - 2 * std) <= _NEARLY * (high - low)
        for low, high, std in features
    )


def is_truth_table(run_data: RunData) -> bool:
    """Whether the only training set holds each combination of its features' two values once, so that nothing in it is noise."""
    sets = run_data.datasets_of("train")
    if len(sets) != 1 or len(_inputs(sets[0])) != 1 or not sets[0].samples_per_pass:
        return False
    count = len(_features(_inputs(sets[0])[0]))
    return count > 1 and sets[0].samples_per_pass == 1 << count and has_two_values(sets[0])


def _inputs(dataset: Fact) -> list:
    return [one for one in dataset.columns if one.name != dataset.label.column]


def _features(column: Fact) -> list:
    """The least, the largest and the deviation of each feature of a column, or of the column as a whole."""
    each = column.channels
    return list(zip(each.min, each.max, each.std)) if each.min else [(column.min, column.max, column.std)]
