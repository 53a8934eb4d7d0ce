"""The rate of a step that updates by hand."""

import mindspore as ms
import numpy as np
import pytest

from msprec.observe.train_steps.given_rate import given_rate


def named(x, y, lr):
    return x, y, lr


def other(x, y, scale):
    return x, y, scale


class Trainer:
    def step(self, x, learning_rate):
        return x, learning_rate


X = ms.Tensor(np.ones((4, 2), np.float32))


@pytest.mark.parametrize(
    ("function", "args", "rate"),
    [
        (named, (X, X, 0.1), 0.1),
        (named, (X, X, ms.Tensor(0.5)), 0.5),
        (named, (X, X, ms.Tensor([0.5])), 0.5),
        (named, (X, X, 3), None),  # a whole number
        (named, (X, X, X), None),
        (named, (X, X), None),
        (other, (X, X, 0.1), None),
        (Trainer().step, (X, 0.2), 0.2),
        (Trainer.step, (X, 0.2), 0.2),
        (max, (X, 0.2), None),
    ],
)
def test_the_argument_named_as_a_rate(function, args, rate):
    found = given_rate(function, args)
    assert found == rate if found is None or isinstance(found, float) else float(found) == rate
