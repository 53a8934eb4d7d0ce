"""The function whose gradients a compiled function computes, and the sums that a compiled update holds."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops

from msprec.observe.train_steps.gradient_functions import forward_of, held_gradients, returns_value

NET = nn.Dense(3, 2)
SGD = nn.SGD(NET.trainable_params())


def forward(x, y):
    return ops.square(NET(x) - y).mean()


def made(names):
    gradient = ms.value_and_grad(forward, None, SGD.parameters)

    def alike(x, y):
        return gradient(x, y)[0]

    def other(batch):
        return gradient(*batch)[0]

    def several(x, y):
        return gradient(x, y), second(x, y)

    second = ms.value_and_grad(forward, None, SGD.parameters)
    return {"gradient": gradient, "alike": alike, "other": other, "several": several}[names]


@pytest.mark.parametrize(("kind", "inner"), [("gradient", True), ("alike", True), ("other", False), ("several", False)])
def test_what_is_differentiated(kind, inner):
    function = made(kind)
    assert forward_of(function) is (forward if inner else function)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize(("make", "gives"), [(ms.value_and_grad, True), (ms.grad, False)])
def test_a_gradient_function_that_is_compiled_again(mode, make, gives):
    ms.set_context(mode=mode)
    compiled = ms.jit(make(forward, None, SGD.parameters))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert returns_value(compiled.__wrapped__) is gives


def test_a_function_without_a_gradient_is_itself():
    assert forward_of(forward) is forward


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (
            lambda: [Parameter(Tensor(np.zeros(p.shape, np.float32)), name=f"sum.{p.name}") for p in SGD.parameters],
            True,
        ),
        (lambda: ParameterTuple(SGD.parameters), False),  # the weights themselves
        (lambda: [Parameter(Tensor(np.zeros(5, np.float32)), name="other")], False),
        (lambda: 3, False),
    ],
)
def test_sums_in_a_closure(make, found):
    sums = make()

    def update():
        return SGD(sums)

    assert bool(held_gradients(update, SGD)) is found
