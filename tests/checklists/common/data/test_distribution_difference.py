"""Distributions of what a network is given, side by side."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.common.data.distribution_difference import ColumnValues, compare


def _values(shape, third):
    """A column whose third feature has that standard deviation."""
    channels = {
        "axis": 1,
        "mean": [1.0, 0.0, 0.01],
        "std": [0.1, 0.4, third],
        "min": [0.7, -1.6, -third],
        "max": [1.3, 1.6, 3 * third],
    }
    made = column(name="x", kind="float", shape=shape, elements=860, mean=0.1, std=0.4, min=-1.6, max=1.6)
    return {**made, "channels": channels, "varying_shape": None in shape}


@pytest.mark.parametrize(
    ("shape", "apart"),
    [
        ([3], True),
        ([None], False),  # the number of features changes from one training to the next
        ([3, None], True),  # the length changes, the features do not
    ],
)
def test_features_of_a_number_that_changes(tmp_path, shape, apart):
    made = [dataset(columns=[_values(shape, third)]) for third in (0.01, 0.2)]
    data = run_data(tmp_path, Run(datasets=made))
    mine, theirs = (ColumnValues(one.columns[0], 150) for one in data.datasets)
    assert (compare(data, mine, theirs).level == "apart") is apart
