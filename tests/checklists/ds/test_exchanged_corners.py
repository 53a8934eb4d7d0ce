"""ds.02: boxes that were mirrored without an exchange of their corners."""

import pytest
from building import Run, column, dataset


@pytest.mark.parametrize(
    ("smaller", "conclusion"),
    [
        ([100, 0], "problem"),
        ([0, 30], "problem"),
        ([0, 0], "undecided"),
        ([200, 200], "undecided"),
        ([1, 0], "undecided"),
    ],
)
def test_corners_exchanged(verdict, smaller, conclusion):
    box = column("box", kind="float", shape=[4], min=0.0, max=1.0)
    one = dataset(columns=[column("image"), box], label={"column": "box", "kind": "regression"}, counts={})
    run = Run(datasets=[one])
    run.facts["probes"] = {"losses": [], "skipped": {}, "box_corners": {"input": 1, "samples": 200, "smaller": smaller}}
    entry = verdict("ds.02", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert ("exchanged" in entry["summary"]) == (conclusion == "problem")
