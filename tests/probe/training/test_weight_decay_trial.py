"""Steps in which an optimizer's weight decay does nothing, and steps that are compiled as a whole taken apart."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn, ops

from msprec.locate.gradients import Plain
from msprec.locate.replay import of_forward, of_function, of_train_cell, watched
from msprec.probe.steps.differentiated_function import with_forward
from msprec.probe.training.weight_decay_trial import NoDecay, decays_of

X, Y = ms.Tensor(np.eye(4, dtype=np.float32)), ms.Tensor(np.ones((4, 1), np.float32))


def network():
    ms.set_seed(1)
    return nn.Dense(4, 1)


def groups(net, decay):
    return [{"params": [net.weight], "weight_decay": decay}, {"params": [net.bias], "weight_decay": 0.0}]


MAKERS = {
    "SGD": lambda net, decay: nn.SGD(net.trainable_params(), 0.1, weight_decay=decay),
    "Adam": lambda net, decay: nn.Adam(net.trainable_params(), 0.1, weight_decay=decay),
    "Momentum": lambda net, decay: nn.Momentum(net.trainable_params(), 0.1, 0.9, weight_decay=decay),
    "AdamWeightDecay": lambda net, decay: nn.AdamWeightDecay(net.trainable_params(), 0.1, weight_decay=decay),
    "groups": lambda net, decay: nn.Adam(groups(net, decay), 0.1),
}


def trained(make, decay, undone):
    """The weights after three steps."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = network()
    optimizer = make(net, decay)
    grad_fn = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, optimizer.parameters)
    with watched(NoDecay(optimizer, decays_of(optimizer), 0.1) if undone else Plain()):
        for _ in range(3):
            optimizer(grad_fn(X, Y)[1])
    return np.concatenate([one.asnumpy().reshape(-1) for one in net.trainable_params()])


@pytest.mark.parametrize("name", MAKERS)
def test_what_the_decay_does_is_undone(name):
    without, undone = trained(MAKERS[name], 0.0, False), trained(MAKERS[name], 0.3, True)
    assert np.allclose(without, undone, atol=2e-5)
    assert not np.allclose(without, trained(MAKERS[name], 0.3, False), atol=1e-3)


@pytest.mark.parametrize(
    ("make", "decays"),
    [
        (MAKERS["Adam"], [0.25, 0.25]),
        (MAKERS["groups"], [0.25, 0.0]),
        (lambda net, decay: nn.Adam(net.trainable_params(), 0.1), None),
        (lambda net, decay: nn.Lamb(net.trainable_params(), 0.1, weight_decay=decay), None),
        (lambda net, decay: nn.SGD(net.trainable_params(), 0.1, weight_decay=decay, loss_scale=8.0), None),
    ],
)
def test_decays_that_are_known(make, decays):
    assert decays_of(make(network(), 0.25)) == decays


@pytest.mark.parametrize("how", ["value_and_grad", "GradOperation", "sensitivity"])
def test_the_function_inside_a_step(how):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = network()
    optimizer = nn.SGD(net.trainable_params(), 0.1)

    def forward(x, y):
        return ((net(x) - y) ** 2).mean()

    if how == "value_and_grad":
        grad = ms.value_and_grad(forward, None, optimizer.parameters)

        def step(x, y):
            loss, grads = grad(x, y)
            optimizer(grads)
            return loss
    else:
        grad = ops.GradOperation(get_by_list=True, sens_param=how == "sensitivity")(forward, optimizer.parameters)
        beside = (ms.Tensor(8.0, ms.float32),) if how == "sensitivity" else ()

        def step(x, y):
            optimizer(grad(x, y, *beside))
            return forward(x, y)

    before = net.weight.asnumpy().copy()
    found = with_forward(of_function(step, (X, Y), [net, optimizer]), list(optimizer.parameters))
    assert found.forward is forward and len(found.inputs) == 2
    assert np.array_equal(net.weight.asnumpy(), before)


@pytest.mark.parametrize("scaled", [False, True])
def test_a_training_cell_within_a_cell(scaled):
    """A cell that calls MindSpore's own training cell and computes something beside it."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = network()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    whole = nn.WithLossCell(net, nn.MSELoss())
    scale = nn.FixedLossScaleUpdateCell(8.0)
    trains = (
        nn.TrainOneStepWithLossScaleCell(whole, optimizer, scale) if scaled else nn.TrainOneStepCell(whole, optimizer)
    )

    class Step(nn.Cell):
        def __init__(self):
            super().__init__()
            self.network, self.trains = net, trains

        def construct(self, x, y):
            loss = self.trains(x, y)
            return loss, self.network(x).mean()

    before = net.weight.asnumpy().copy()
    found = with_forward(of_train_cell(Step(), (X, Y)), list(optimizer.parameters))
    assert found.forward is whole and len(found.inputs) == 2
    assert np.array_equal(net.weight.asnumpy(), before)


def test_a_forward_computation_is_one_already():
    net = network()
    step = of_forward(net, (X,), net.trainable_params(), [net])
    assert with_forward(step, net.trainable_params()) is step
