"""cg.03: the axes of a recurrent layer's result, as the sources say them."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity.first_step import judge_first_step
from msprec.checklists.cg.connectivity.recurrent_axes import judge_recurrent_axes

_CODE = """
class LSTM(nn.Cell):
    def __init__(self, features, units):
        super().__init__()
        self.rnn = {made}

    def construct(self, x):
        out, _ = self.rnn(x)
        return out[{taken}]
"""


@pytest.mark.parametrize(
    ("made", "taken", "lines"),
    [
        ("nn.LSTM(features, units)", ":, -1", [9, 5]),  # the script's own class bears the layer's name
        ("nn.LSTM(features, units, batch_first=True)", ":, -1", None),
        ("nn.LSTM(features, units)", "-1", None),
        ("LSTM(features, units)", ":, -1", None),  # which class that is decides its axes
    ],
)
def test_a_class_of_the_layers_name(tmp_path, made, taken, lines):
    cells = [{"path": "1", "class": "LSTM", "builtin": False, "parameters": []}]
    network = {"id": 0, "class": "Net", "role": "train", "place": {"file": "train.py", "line": 1}, "cells": cells}
    run = Run(network=[network], source={"train.py": _CODE.format(made=made, taken=taken)})
    found = judge_recurrent_axes(run_data(tmp_path, run))
    assert ([one["line"] for one in found.locations] if found else None) == lines


_FIRST = "nn.LSTM(features, units, batch_first=True)"


@pytest.mark.parametrize(
    ("made", "taken", "rest", "lines"),
    [
        (_FIRST, ":, 0", "", [9, 5]),
        (_FIRST, ":, 0, :", "", [9, 5]),
        ("nn.GRU(features, units)", "0", "", [9, 5]),
        (_FIRST, ":, -1", "", None),
        (_FIRST, ":, 0", " + out[:, -1]", None),
        (_FIRST, ":, 0", " + out.mean(1)", None),
        (_FIRST, ":, 0", " + _[0]", None),  # the state at the end is read
        (_FIRST.replace("True", "True, bidirectional=True"), ":, 0", "", None),  # where one direction ends
        (_FIRST.replace("True", "True, bidirectional=both"), ":, 0", "", None),
        ("nn.GRU(features, units)", ":, 0", "", None),  # the first sample
    ],
)
def test_the_first_step_alone(tmp_path, made, taken, rest, lines):
    cells = [{"path": "1", "class": "LSTM", "builtin": False, "parameters": []}]
    network = {"id": 0, "class": "Net", "role": "train", "place": {"file": "train.py", "line": 1}, "cells": cells}
    run = Run(network=[network], source={"train.py": _CODE.format(made=made, taken=taken).rstrip() + rest + "\n"})
    found = judge_first_step(run_data(tmp_path, run))
    assert ([one["line"] for one in found.locations] if found else None) == lines
