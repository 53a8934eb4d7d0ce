"""One step run again and watched: what ran, what is used, what the loss was given."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn, ops

from msprec.locate.replay import of_forward, of_function, of_train_cell
from msprec.probe.loss.loss_recomputation import loss_facts
from msprec.probe.steps.connectivity_trace import connections, trace_step
from msprec.runtime import source_locations

RNG = np.random.default_rng(3)
X = ms.Tensor(RNG.normal(size=(4, 8)).astype(np.float32))
Y = ms.Tensor(RNG.normal(size=(4, 1)).astype(np.float32))
FLAT = ms.Tensor(RNG.normal(size=(4,)).astype(np.float32))
CLASSES = ms.Tensor(np.array([0, 2, 1, 1], np.int32))


@pytest.fixture(autouse=True)
def _user_file():
    source_locations.add_user_file(__file__)


class Odd(nn.Cell):
    """A layer whose result is lost, one that is never called, a dropout at rest thrown away, and layers in a list."""

    def __init__(self):
        super().__init__()
        self.first = nn.Dense(8, 8)
        self.lost = nn.Dense(8, 8)
        self.unused = nn.Dense(8, 8)
        self.drop = nn.Dropout(p=0.5)
        self.relu = nn.ReLU()
        self.hidden = [nn.Dense(8, 8), nn.Dense(8, 8)]
        self.last = nn.Dense(8, 1)

    def construct(self, x):
        x = self.relu(self.first(x))
        self.lost(x)
        self.drop(x)
        for layer in self.hidden:
            x = layer(x)
        return self.last(x)


def _styles(net, mode):
    ms.set_context(mode=mode)
    loss_fn, optimizer = nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)

    def forward(x, y):
        return loss_fn(net(x), y)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)

    @ms.jit
    def step(x, y):
        loss, grads = gradient(x, y)
        optimizer(grads)
        return loss

    train = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)
    return {
        "cell": of_train_cell(train, (X, Y)),
        "jit": of_function(step, (X, Y), [net, optimizer]),
        "functional": of_forward(forward, (X, Y), list(optimizer.parameters), [net]),
    }


@pytest.mark.parametrize("style", ["cell", "jit", "functional"])
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_connections(style, mode):
    net = Odd()
    before = [p.asnumpy().copy() for p in net.get_parameters()]
    step = _styles(net, mode)[style]
    facts = connections(trace_step(step), step)
    cells = {cell["path"]: cell for cell in facts["cells"]}
    assert {
        p: (cells[p]["calls"], cells[p]["used"], cells[p]["gradient"]) for p in ("first", "lost", "drop", "last")
    } == {"first": (1, True, True), "lost": (1, False, False), "drop": (1, None, None), "last": (1, True, True)}
    assert cells["unused"]["calls"] == 0 and cells["relu"]["used"] is True
    assert len(facts["unregistered"]) == 2
    assert all(np.array_equal(a, p.asnumpy()) for a, p in zip(before, net.get_parameters()))
    assert ms.get_context("mode") == mode
    ms.set_context(mode=ms.PYNATIVE_MODE)


def _squared(predicted, wanted):
    return ((predicted - wanted) ** 2).mean()


def _own_mse(predicted, wanted):
    return ops.square(predicted - wanted).mean()


def _facts(forward, net, inputs):
    step = of_forward(forward, inputs, net.trainable_params(), [net])
    return loss_facts(trace_step(step), inputs)


def test_losses():
    net = nn.SequentialCell(nn.Dense(8, 3), nn.Softmax())

    def forward(x, y):
        return ops.cross_entropy(net(x), y)

    (loss,) = _facts(forward, net, (X, CLASSES))["losses"]
    assert loss["kind"] == "softmax_cross_entropy" and loss["predicted"]["probabilities"] is True
    assert loss["predicted"]["source"]["operator"] == "Softmax"
    assert loss["equals"] == "mean" and loss["value"] == pytest.approx(loss["recomputed"]["mean"], rel=1e-4)
    assert loss["place"]["line"] > 0 and loss["unreduced"] is False


def test_a_loss_that_is_not_reduced():
    net, each = nn.Dense(8, 3), nn.SoftmaxCrossEntropyWithLogits(sparse=True)

    def forward(x, y):
        return each(net(x), y)

    (loss,) = _facts(forward, net, (X, CLASSES))["losses"]
    assert loss["unreduced"] is True and loss["shape"] == [4] and loss["settings"]["reduction"] == "none"

    def reduced(x, y):
        return each(net(x), y).mean()

    (loss,) = _facts(reduced, net, (X, CLASSES))["losses"]
    assert loss["unreduced"] is False


def test_samples_that_a_loss_multiplies_by_zero():
    net, keep = nn.Dense(8, 3), ms.Tensor([1.0, 0.0, 1.0, 0.0])

    def forward(x, y):
        return (ops.cross_entropy(net(x), y, reduction="none") * keep).sum() / keep.sum()

    (loss,) = _facts(forward, net, (X, CLASSES))["losses"]
    classes = [str(one) for one in CLASSES.asnumpy()[::2]]
    assert loss["counted"] == {"samples": 2, "of": 4, "classes": {one: classes.count(one) for one in classes}}

    def weighted(x, y):
        return (ops.cross_entropy(net(x), y, reduction="none") * (keep + 1)).mean()

    (loss,) = _facts(weighted, net, (X, CLASSES))["losses"]
    assert loss["counted"] is None


def test_own_losses_and_shapes_that_broadcast():
    net = nn.Dense(8, 1)

    def spread(x, y):
        return _squared(net(x), y)

    facts = _facts(spread, net, (X, FLAT))
    assert [one["shapes"] for one in facts["broadcasts"]] == [[[4, 1], [4]]]

    def right(x, y):
        return _own_mse(net(x), y)

    facts = _facts(right, net, (X, Y))
    assert facts["broadcasts"] == []
    (own,) = facts["own_losses"]
    assert own["promise"] == "mse" and own["equals"] == ["mse", "mean"]


def test_differences_of_predictions_with_each_other_are_no_broadcast():
    """A ranking loss compares every score with every other on purpose."""
    net = nn.Dense(8, 1)

    def ranking(x, y):
        scores = net(x)
        return ops.relu(1 - (scores - scores[:, 0])).mean() + 0 * y.mean()

    assert _facts(ranking, net, (X, Y))["broadcasts"] == []


def test_weights_that_are_differentiated_by_are_no_broadcast():
    """A weight of (4, 1) and its bias of (4,), handed to value_and_grad in the line that calls it."""
    net = nn.SequentialCell(nn.Dense(1, 4), nn.Tanh(), nn.Dense(4, 1))
    weights = ms.ParameterTuple(net.trainable_params())

    def residual(t):
        return net(t).square().mean()

    def step(t):
        loss, _ = ms.value_and_grad(residual, None, weights)(t)
        return loss

    assert _facts(step, net, (Y,))["broadcasts"] == []
