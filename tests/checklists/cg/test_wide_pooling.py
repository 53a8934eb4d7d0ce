"""A pooling that leaves next to nothing before further convolutions (cg.03)."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity import wide_pooling


@pytest.mark.parametrize(
    ("pool", "after", "kernel", "nothing", "found"),
    [
        (8, "Conv2d", 3, True, True),
        (2, "Conv2d", 3, True, False),
        (8, "Conv2d", 1, True, False),  # as a squeeze-and-excitation block has it
        (8, "Dense", 0, True, False),
        (8, "Conv2d", 3, False, False),
    ],
)
def test_windows(tmp_path, monkeypatch, pool, after, kernel, nothing, found):
    monkeypatch.setattr(wide_pooling, "came_to_nothing", lambda _: nothing)
    cells = [
        {"path": "0", "class": "Conv2d", "args": "kernel_size=(3, 3)", "builtin": True, "created": None},
        {
            "path": "1",
            "class": "MaxPool2d",
            "args": f"kernel_size={pool}, stride={pool}",
            "builtin": True,
            "created": {"file": "train.py", "line": 4},
        },
        {"path": "2", "class": after, "args": f"kernel_size=({kernel}, {kernel})", "builtin": True, "created": None},
    ]
    run = Run(network=[{"class": "SequentialCell", "cells": cells, "place": None}], source={"train.py": "\n" * 4})
    told = wide_pooling.judge_wide_pooling(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == ([4] if found else None)


_NET = """class Net(nn.Cell):
    def construct(self, x):
        x = self.{0}(self.relu(self.first(x)))
        return self.{1}(x)
"""


@pytest.mark.parametrize(("code", "found"), [(_NET.format("pool", "conv"), True), (_NET.format("conv", "pool"), False)])
def test_layers_that_are_called_in_another_order(tmp_path, monkeypatch, code, found):
    monkeypatch.setattr(wide_pooling, "came_to_nothing", lambda _: True)
    kinds = {"first": ("Conv2d", 3), "conv": ("Conv2d", 3), "relu": ("ReLU", 0), "pool": ("MaxPool2d", 8)}
    cells = [
        {"path": path, "class": kind, "args": f"kernel_size={size}" if size else "", "builtin": True, "created": None}
        for path, (kind, size) in kinds.items()
    ]
    network = {"class": "Net", "cells": cells, "place": {"file": "train.py", "line": 2}}
    told = wide_pooling.judge_wide_pooling(run_data(tmp_path, Run(network=[network], source={"train.py": code})))
    assert (told is not None) is found
