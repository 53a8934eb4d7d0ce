"""Parameters that stand in no cell, and that what is differentiated reaches."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Parameter, Tensor, nn, ops

from msprec.runtime.closure_scan import reached_from


def weight(name):
    return Parameter(Tensor(np.ones((2, 2), np.float32)), name=name)


W, TABLE, LISTED, AVERAGE = weight("w"), {"b": weight("b")}, [weight("c")], [weight("average")]
INSIDE = nn.Dense(2, 2)
X = Tensor(np.ones((1, 2), np.float32))


def loss(x):
    return (ops.matmul(INSIDE(x), W) + TABLE["b"] + LISTED[0]).sum()


GRADIENT = ms.value_and_grad(loss, None, [W])


def step(x):
    value, gradients = GRADIENT(x)
    ops.assign(AVERAGE[0], AVERAGE[0] * 0.9 + W * 0.1)
    return value, gradients, loss


def names(function, **how):
    return {one.name for one in reached_from(function, **how).parameters}


@pytest.mark.parametrize("compiled", [False, True])
def test_of_a_step_those_of_its_loss(compiled):
    """The average that the step keeps is no weight, and neither is what stands in a cell, which is told with it."""
    assert names(ms.jit(step) if compiled else step) == {"w", "b", "c"}


def test_of_the_differentiated_function_itself():
    assert names(loss, differentiated=True) == {"w", "b", "c"} and names(loss) == set()
    assert [type(one).__name__ for one in reached_from(loss, differentiated=True).networks] == ["Dense"]


class Accumulator:
    """A plain object whose methods are compiled, or are called by what is compiled."""

    def __init__(self, optimizer):
        self.optimizer, self.sums = optimizer, optimizer.parameters.clone("sums")

    def add(self, gradients):
        return [ops.assign_add(*pair) for pair in zip(self.sums, gradients)]

    def update(self):
        return self.optimizer(self.sums)

    @ms.jit
    def compiled(self):
        return self.update()


ACCUMULATOR = Accumulator(nn.SGD(INSIDE.trainable_params()))


def half(x):
    value, gradients = GRADIENT(x)
    return value, ACCUMULATOR.add(gradients)


def update():
    return ACCUMULATOR.update()


def update_compiled():
    return ACCUMULATOR.compiled()


@pytest.mark.parametrize(("function", "has"), [(half, False), (update, True), (update_compiled, True)])
def test_what_the_methods_of_a_plain_object_use(function, has):
    """Each method that is named, with what it names of its object: the optimizer is of the update alone."""
    assert bool(reached_from(ms.jit(function)).optimizers) is has
    assert reached_from(ms.jit(function)).has_gradient is not has
