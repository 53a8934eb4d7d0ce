"""td.05: layers that are given the same for all samples."""

import pytest
from building import Run, column, dataset, one_pass, run_data

from msprec.checklists.td.received_batches.check import _emptied


@pytest.mark.parametrize(
    ("samples", "alike", "found"),
    [
        (320, True, True),
        (320, False, False),
        (1, True, False),  # the training has one sample, as where one picture is fitted
    ],
)
def test_the_same_for_all_samples(tmp_path, samples, alike, found):
    entry = {"kind": "layer", "operator": "Conv2d", "cell": "conv", "samples": 10, "input_alike": alike}
    entry = {**entry, "place": {"file": "train.py", "line": 3}, "created": {"file": "train.py", "line": 2}}
    made = dataset(columns=[column("x")], passes=[one_pass(1, samples=samples)])
    made["pipeline"] = [{"op": "arguments of the training step", "args": {}, "place": {"file": "train.py", "line": 4}}]
    run = Run(datasets=[made])
    run.facts["probes"] = {"units": {"moments": [{"moment": one, "entries": [entry]} for one in ("start", "end")]}}
    assert (_emptied(run_data(tmp_path, run)) is not None) is found
