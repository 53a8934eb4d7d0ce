"""cg.02: gradients by the weights of a network that the function does not compute with."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.frozen_weights.foreign_gradient import foreign_gradient

_CODE = """
heat, cool = Net(), Net()
one, other = nn.Adam(heat.trainable_params()), nn.Adam(cool.trainable_params())
def predict(x):
    return cool(x)
def loss_of(x, y):
    return ops.mse_loss({called}, y)
{between}
grad = ms.value_and_grad({function}, None, {weights})
"""


@pytest.mark.parametrize(
    ("called", "function", "weights", "between", "found"),
    [
        ("cool(x)", "loss_of", "heat.trainable_params()", "", True),
        ("cool(x)", "loss_of", "weights=heat.trainable_params()", "", True),
        ("predict(x)", "loss_of", "one.parameters", "", True),
        ("cool(x)", "loss_of", "cool.trainable_params()", "", False),
        ("predict(x)", "loss_of", "other.parameters", "", False),
        ("both(x)", "loss_of", "heat.trainable_params()", "both = Joined(heat, cool)", False),
        ("cool(heat(x))", "loss_of", "heat.trainable_params()", "", False),
        ("cool(x)", "Wrapped(cool)", "heat.trainable_params()", "", False),  # not known what it computes with
        ("net(x)", "loss_of", "heat.trainable_params()", "", False),
    ],
)
def test_networks(tmp_path, called, function, weights, between, found):
    code = _CODE.format(called=called, function=function, weights=weights, between=between)
    told = foreign_gradient(run_data(tmp_path, Run(source={"train.py": code})))
    assert ([one["line"] for one in told.locations] if told else None) == ([9] if found else None)
