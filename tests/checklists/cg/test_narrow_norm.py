"""A LayerNorm over one or two numbers (cg.03)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity import narrow_norm
from msprec.checklists.cg.connectivity.narrow_norm import judge_narrow_norm

CODE = """class Net(nn.Cell):
    def __init__(self):
        self.norm = nn.LayerNorm((2,))
    def construct(self, x):
        return self.out(self.norm(x))
"""


@pytest.mark.parametrize(
    ("shape", "kind", "calls", "learnt", "other", "lines"),
    [
        ([2], "LayerNorm", 1, False, [8, 2], [3, 5]),
        ([1], "LayerNorm", 3, False, [8, 2], [3, 5]),
        ([32], "GroupNorm", 1, False, [8, 2], [3, 5]),
        ([32], "GroupNorm", 1, False, [8, 2, 3, 3], None),
        ([128], "GroupNorm", 1, False, [8, 2], None),
        ([3], "LayerNorm", 1, False, [8, 2], None),
        ([2], "BatchNorm1d", 1, False, [8, 2], None),
        ([2], "LayerNorm", 0, False, [8, 2], None),
        ([2], "LayerNorm", 1, True, [8, 2], None),
    ],
)
def test_what_is_left(tmp_path, monkeypatch, shape, kind, calls, learnt, other, lines):
    monkeypatch.setattr(narrow_norm, "learnt_by", lambda *_: learnt)
    run = Run(source={"train.py": CODE})
    created = {"file": "train.py", "line": 3}
    run.facts["parameters"]["parameters"] = [
        {"name": "norm.gamma", "cell": "norm", "kind": "norm", "shape": shape},
        {"name": "out.weight", "cell": "out", "kind": "weight", "shape": other},
    ]
    run.facts["probes"] = {"graph": {"cells": [{"path": "norm", "class": kind, "calls": calls}]}}
    cell = {"path": "norm", "class": kind, "args": "num_groups=32, num_channels=32", "created": created}
    run.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": [cell]}])
    told = judge_narrow_norm(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == lines
