"""cg.03: a residual block whose shortcut is never added."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity.lost_shortcut import judge_lost_shortcut

_CELL = (
    "class {name}(nn.Cell):\n    def construct(self, x):\n        {first}\n"
    "        y = self.fc2(relu(self.fc1(x)))\n        return {back}\n"
)


@pytest.mark.parametrize(
    ("name", "first", "back", "lines"),
    [
        ("Block", "shortcut = x", "relu(y)", [5, 3]),
        ("Block", "identity = self.down(x)", "y", [5, 3]),
        ("ResBlock", "pass", "relu(y)", [5, 2]),
        ("Block", "shortcut = x", "relu(y + shortcut)", None),
        ("ResBlock", "pass", "relu(x + y)", None),
        ("ResBlock", "pass", "self.add(x, y)", None),
        ("Block", "pass", "relu(y)", None),  # a plain one
        ("ResNet", "pass", "relu(y)", None),  # what its blocks do counts
    ],
)
def test_shortcuts(tmp_path, name, first, back, lines):
    cells = [{"path": "body", "class": name, "builtin": False, "parameters": []}]
    network = {"id": 0, "class": "Net", "role": "train", "place": {"file": "train.py", "line": 1}, "cells": cells}
    run = Run(network=[network], source={"train.py": _CELL.format(name=name, first=first, back=back)})
    found = judge_lost_shortcut(run_data(tmp_path, run))
    assert ([one["line"] for one in found.locations] if found else None) == lines
