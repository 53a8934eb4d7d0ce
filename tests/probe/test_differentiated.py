"""Whose gradients an optimizer was given."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn

from msprec.locate.replay import of_forward
from msprec.probe.training.gradient_target import differentiated

X = Tensor(np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32))
NET = nn.Dense(3, 2)


def with_outputs(x):
    given = NET(x)
    return (given**2).mean(), given


def two_losses(x):
    given = NET(x)
    return (given**2).mean(), given.mean()


def not_reduced(x):
    given = NET(x)
    return (given**2).mean(1), given


def alone(x):
    return (NET(x) ** 2).mean()


def told(function, factor=1.0, **how):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    weights = NET.trainable_params()
    given = [factor * one for one in ms.value_and_grad(function, None, weights, **how)(X)[1]]
    return differentiated(of_forward(function, (X,), weights, [NET]), given, weights, None)


@pytest.mark.parametrize("factor", [1.0, 0.01])  # clipped by its norm, or scaled
def test_of_outputs(factor):
    assert told(with_outputs, factor)["of"] == "sum" and told(with_outputs, factor, has_aux=True)["of"] == "loss"


def test_of_a_loss_that_is_not_reduced():
    assert told(not_reduced, has_aux=True)["of"] == "loss" and told(not_reduced)["of"] == "sum"


def loss_last(x):
    given = NET(x)
    return given, (given**2).mean()


def test_of_an_output_before_the_loss():
    assert told(loss_last, has_aux=True)["of"] == "first" and told(loss_last)["of"] == "sum"


def losses_and_error(x):
    given = NET(x)
    return (given**2).mean(1), (given > 0).astype(ms.float32).mean()


def losses_and_term(x):
    given = NET(x)
    return (given**2).mean(1), (given**4).mean()


def test_of_losses_of_samples_beside_a_number():
    assert [told(one, has_aux=True)["of"] for one in (losses_and_error, losses_and_term)] == [None, None]


def test_of_losses_that_may_be_added():
    assert told(two_losses) is None and told(alone) is None


def test_gradients_of_neither():
    weights = NET.trainable_params()
    step = of_forward(with_outputs, (X,), weights, [NET])
    assert differentiated(step, [one * 0 + 1 for one in weights], weights, None)["of"] is None
    assert differentiated(step, None, weights, None) is None
