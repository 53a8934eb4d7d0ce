"""Stacks of fully connected layers (td.02)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.gradient_flow import deep_stack as module
from msprec.checklists.td.gradient_flow.deep_stack import deep_stack

CODE = """DEPTH = {depth}
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(*[nn.Dense(8, 8) for _ in range(DEPTH)])

    def construct(self, x):
        return {returns}
"""


@pytest.mark.parametrize(
    ("depth", "returns", "norm", "nothing", "lines"),
    [
        (16, "self.layers(x)", False, True, [1, 5]),
        (9, "self.layers(x)", False, True, None),
        (16, "self.layers(x) + x", False, True, None),
        (16, "self.layers(x)", True, True, None),
        (16, "self.layers(x)", False, False, None),
    ],
)
def test_stacks(tmp_path, monkeypatch, depth, returns, norm, nothing, lines):
    monkeypatch.setattr(module, "came_to_nothing", lambda _: nothing)
    made = {"file": "train.py", "line": 5}
    cells = [{"path": "", "class": "Net", "builtin": False, "parameters": [], "created": None}]
    cells += [
        {"path": f"layers.{n}", "class": "Dense", "builtin": True, "parameters": [], "created": made}
        for n in range(depth)
    ]
    if norm:
        cells.append({"path": "norm", "class": "BatchNorm1d", "builtin": True, "parameters": [], "created": made})
    run = Run(source={"train.py": CODE.format(depth=depth, returns=returns)})
    run.set("network", [{"id": 0, "class": "Net", "role": "train", "cells": cells}])
    told = deep_stack(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == lines
