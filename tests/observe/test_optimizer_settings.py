"""Momentum and weight decay as they are recorded, of both families of MindSpore's optimizers."""

import pytest
from mindspore import nn
from mindspore.experimental import optim

from msprec.observe.network.optimizers import OptimizerObserver


def recorded(optimizer) -> tuple:
    """Momentum and weight decay in the facts of one optimizer."""
    observer = OptimizerObserver(None)
    observer.made.append((optimizer, None))
    facts = observer.facts(1)["optimizers"][0]
    return facts["momentum"], facts["weight_decay"]


@pytest.mark.parametrize(
    ("make", "momentum", "decay"),
    [
        (lambda net: nn.Momentum(net.trainable_params(), 0.1, 0.9, weight_decay=1e-3), 0.9, 1e-3),
        (lambda net: nn.Adam(net.trainable_params(), 0.1, weight_decay=0.2), None, 0.2),
        (lambda net: optim.SGD(net.trainable_params(), 0.1, momentum=0.9, weight_decay=1e-3), 0.9, 1e-3),
        (lambda net: optim.AdamW(net.trainable_params(), 0.1, weight_decay=0.2), None, 0.2),
        (
            lambda net: optim.Adam([{"params": [net.weight], "weight_decay": 0.1}, {"params": [net.bias]}], 0.1),
            None,
            None,
        ),
        (
            lambda net: nn.Momentum([{"params": [net.weight], "weight_decay": 0.1}, {"params": [net.bias]}], 0.1, 0.9),
            0.9,
            None,
        ),
    ],
)
def test_momentum_and_decay(make, momentum, decay):
    found = recorded(make(nn.Dense(2, 2)))
    assert found == (pytest.approx(momentum) if momentum else None, pytest.approx(decay) if decay else None)
