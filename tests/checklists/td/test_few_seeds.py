"""td.06: generators that are made for each sample from a few seeds."""

import pytest
from building import Run, column, dataset, one_pass

_SEEDS = {"what": "numpy.random.default_rng", "place": {"file": "train.py", "line": 7}}


@pytest.mark.parametrize(
    ("again", "values", "found"),
    [
        (50.0, {"distinct": None}, True),
        (1.0, {"distinct": None}, False),
        (50.0, {"kind": "int", "dtype": "int32", "distinct": 3}, False),  # few samples there are
    ],
)
def test_samples_that_come_again(verdict, again, values, found):
    passes = [one_pass(1), one_pass(2, expected_equal=again, common_share=1.0, same_order_as_first=True)]
    step = {"op": "GeneratorDataset", "args": {}, "place": {"file": "train.py", "line": 3}, "seeds": _SEEDS}
    made = Run(datasets=[dataset([column("x", shape=[4], **values)], passes=passes, pipeline=[step])])
    entry = verdict("td.06", made)
    assert (entry["conclusion"] == "problem") is found, entry["summary"]
    assert not found or entry["locations"] == [_SEEDS["place"]]
