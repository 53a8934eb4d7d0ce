"""A layer that is given one tensor twice (cg.03)."""

import types

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity import joined_twice
from msprec.checklists.common.training import constant_prediction

NET = """class Net(nn.Cell):
    def construct(self, x, skip):
        u = self.up(x)
        return {0}
"""


@pytest.mark.parametrize(
    ("code", "gain", "found"),
    [
        ("self.fuse(ops.cat((u, u), 1))", 0.3, True),
        ("self.fuse(mint.concat([u, u], dim=1))", None, True),
        ("self.fuse(ops.cat((u, u), 1))", 0.97, False),
        ("self.fuse(ops.cat((u, skip), 1))", 0.3, False),
        ("ops.cat((u, u), -1)", 0.3, False),  # the angles of a rotary embedding
    ],
)
def test_what_is_joined(tmp_path, monkeypatch, code, gain, found):
    outcome = types.SimpleNamespace(gain=gain)
    monkeypatch.setattr(constant_prediction, "learning_outcome", lambda _: outcome)
    cells = [{"path": "", "class": "Net", "builtin": False, "args": None, "created": None}]
    run = Run(network=[{"class": "Net", "cells": cells, "place": None}], source={"train.py": NET.format(code)})
    told = joined_twice.judge_joined_twice(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == ([4] if found else None)
