"""cg.03: an end of the edges that a layer is given and never reads."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.cg.connectivity.unread_input import judge_unread_input

LAYER = """class Layer(nn.Cell):
    def construct(self, h, src, dst):
        msg = self.dense(h)[{}]
        return sums(msg, dst)
"""


@pytest.mark.parametrize(
    ("taken", "shape", "found"),
    [
        ("dst", [], [3, 2]),
        ("src", [], None),
        ("dst", [2], None),  # something else than the other end
    ],
)
def test_rows_of_the_wrong_end(tmp_path, taken, shape, found):
    ends = [column("src", kind="int", shape=shape), column("dst", kind="int", shape=[])]
    run = Run(source={"train.py": LAYER.format(taken)}, datasets=[dataset(ends)])
    cells = [{"path": "", "class": "Layer", "builtin": False, "args": "", "parameters": []}]
    run.set("network", [{"id": 0, "class": "Layer", "role": "train", "cells": cells}])
    seen = judge_unread_input(run_data(tmp_path, run))
    assert (seen and [one["line"] for one in seen.locations]) == found
