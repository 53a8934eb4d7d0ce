"""cg.03: a reduction over the channels of a convolution."""

import types

import pytest

from msprec.checklists.cg.connectivity import reduced_channels
from msprec.source.user_code import Code

NET = """class Net(nn.Cell):
    def __init__(self):
        self.c = nn.{layer}(8, 32, 5)
        self.f = nn.Dense(24, 32)
    def construct(self, x):
        {first}
        return self.f({second})
"""


def read(layer="Conv1d", first="y = ops.relu(self.c(x))", second="y.max(axis=1)"):
    code = NET.format(layer=layer, first=first, second=second)
    return types.SimpleNamespace(source=Code({"train.py": code}), code_at=lambda *_: [])


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, True),
        ({"second": "ops.relu(self.c(x)).mean(1)"}, True),
        ({"second": "ops.amax(ops.tanh(self.c(x)), 1)"}, True),
        ({"layer": "Conv2d"}, True),
        ({"layer": "Dense"}, False),
        ({"second": "y.max(axis=2)"}, False),
        ({"second": "y.max(axis=1, keepdims=True)"}, False),  # a map of where something is
        ({"first": "y = ops.relu(self.c(x)).swapaxes(1, 2)"}, False),
        ({"first": "y = self.c(x)\n        y = ops.relu(y)"}, True),
        ({"first": "y = ops.relu(self.c(x)) + x"}, False),
    ],
)
def test_axes(monkeypatch, changed, found):
    monkeypatch.setattr(reduced_channels, "unsolved_gain", lambda _: 0.1)
    assert (reduced_channels.judge_reduced_channels(read(**changed)) is not None) is found


def test_a_training_that_learnt(monkeypatch):
    monkeypatch.setattr(reduced_channels, "unsolved_gain", lambda _: None)
    monkeypatch.setattr(reduced_channels, "came_to_nothing", lambda _: False)
    assert reduced_channels.judge_reduced_channels(read()) is None
    monkeypatch.setattr(reduced_channels, "came_to_nothing", lambda _: True)
    assert "came to nothing" in str(reduced_channels.judge_reduced_channels(read()).summary.render("en"))
