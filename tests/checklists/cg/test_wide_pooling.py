"""A pooling that leaves next to nothing before further convolutions or the last layers (cg.03)."""

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


@pytest.mark.parametrize(
    ("pool", "units", "gain", "found"),
    [
        (4, 32, 0.72, True),
        (4, 32, None, False),  # solved
        (2, 32, 0.72, False),
        (4, 8, 0.72, False),  # the whole map, on purpose
        (4, 392, 0.72, False),  # 49 places are left of 28 × 28
    ],
)
def test_few_places_are_left(tmp_path, monkeypatch, pool, units, gain, found):
    monkeypatch.setattr(wide_pooling, "came_to_nothing", lambda _: False)
    monkeypatch.setattr(wide_pooling, "unsolved_gain", lambda _: gain)
    arguments = {
        "Conv2d": "input_channels=1, output_channels=8, kernel_size=(3, 3)",
        "MaxPool2d": f"kernel_size={pool}, stride={pool}, pad_mode=VALID",
        "Flatten": None,
        "Dense": f"input_channels={units}, output_channels=8, has_bias=True",
    }
    cells = [
        {"path": str(n), "class": kind, "args": given, "builtin": True, "created": {"file": "train.py", "line": n + 1}}
        for n, (kind, given) in enumerate(arguments.items())
    ]
    run = Run(network=[{"class": "SequentialCell", "cells": cells, "place": None}], source={"train.py": "\n" * 4})
    told = wide_pooling.judge_wide_pooling(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == ([2] if found else None)


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
