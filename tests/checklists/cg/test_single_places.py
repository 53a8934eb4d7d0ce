"""cg.03: convolutions of one place each before a pooling over all places."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity import single_places
from msprec.checklists.cg.connectivity.single_places import judge_single_places


def cell(path, kind, arguments):
    place = {"file": "train.py", "line": 2}
    return {"path": path, "class": kind, "builtin": True, "args": arguments, "created": place}


def convolution(size, filters=32):
    return cell("cv", "Conv1d", f"input_channels=12, output_channels={filters}, kernel_size=(1, {size}), stride=(1, 1)")


DENSE = cell("fc", "Dense", "input_channels=32, output_channels=2, has_bias=True")


@pytest.mark.parametrize(
    ("cells", "gain", "code", "found"),
    [
        ([convolution(1), DENSE], 0.02, "", True),
        ([convolution(3), DENSE], 0.02, "", False),
        ([convolution(1), convolution(3) | {"path": "cw"}, DENSE], 0.02, "", False),
        ([convolution(1, 16), DENSE], 0.02, "", False),  # all places are handed on, as of a flattened map
        ([convolution(1), DENSE], None, "", False),  # it was learnt
        ([convolution(1), DENSE], 0.02, "class PointNet(nn.Cell):\n    pass\n", False),
        ([convolution(1), DENSE], 0.02, "self.rnn = nn.LSTM(12, 12)\n", False),
        ([DENSE], 0.02, "", False),
    ],
)
def test_windows(tmp_path, monkeypatch, cells, gain, code, found):
    monkeypatch.setattr(single_places, "unsolved_gain", lambda run_data: gain)
    run = Run(source={"train.py": code})
    run.facts["network"] = {"networks": [{"id": 0, "class": "Net", "role": "train", "cells": cells}]}
    ran = [{"path": one["path"], "calls": 1, "loss": False} for one in cells]
    run.facts["probes"] = {"graph": {"cells": ran}, "skipped": {}}
    assert (judge_single_places(run_data(tmp_path, run)) is not None) is found
