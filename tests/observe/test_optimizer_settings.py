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


@pytest.mark.parametrize(
    ("make", "eps", "betas"),
    [
        (lambda net: nn.Adam(net.trainable_params(), 0.1, beta1=0.5, eps=1.0), 1.0, [0.5, 0.999]),
        (lambda net: nn.AdamWeightDecay(net.trainable_params(), 0.1), 1e-6, [0.9, 0.999]),
        (lambda net: nn.RMSProp(net.trainable_params(), 0.1, epsilon=0.1), 0.1, None),
        (lambda net: optim.AdamW(net.trainable_params(), 0.1, betas=(0.8, 0.9), eps=1e-3), 1e-3, [0.8, 0.9]),
        (lambda net: nn.SGD(net.trainable_params(), 0.1), None, None),
    ],
)
def test_eps_and_betas(make, eps, betas):
    observer = OptimizerObserver(None)
    observer.made.append((make(nn.Dense(2, 2)), None))
    facts = observer.facts(1)["optimizers"][0]
    assert facts["eps"] == (pytest.approx(eps) if eps else None)
    assert facts["betas"] == (pytest.approx(betas) if betas else None)
