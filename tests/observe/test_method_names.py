"""Methods that leave the update to another one."""

import pytest
from mindspore import nn

from msprec.observe.train_steps.method_names import leaves_update


class Accumulator(nn.Cell):
    def __init__(self):
        super().__init__()
        self.network = nn.Dense(2, 2)
        self.optimizer = nn.SGD(self.network.trainable_params(), 0.1)

    def add(self, x):
        return self.inner(x)

    def inner(self, x):
        return self.network(x)

    def both(self, x):
        return self.apply(self.add(x))

    def apply(self, grads):
        return self.optimizer(grads)


class Alone(Accumulator):
    def add(self, x):
        return self.network(x)


@pytest.mark.parametrize(("method", "leaves"), [("add", True), ("both", False), ("apply", False), ("missing", False)])
def test_methods(method, leaves):
    assert leaves_update(Accumulator(), method) is leaves


def test_no_other_method_updates():
    assert not leaves_update(Alone(), "add")
