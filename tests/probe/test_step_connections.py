"""Linear layers in a row in a watched step; nested training cells and several optimizers."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn, ops

from msprec.locate.replay import of_forward, of_train_cell
from msprec.probe.steps.connectivity_trace import connections, trace_step
from msprec.probe.steps.evaluation_calls import EvaluationCalls
from msprec.runtime import source_locations

RNG = np.random.default_rng(3)
X = ms.Tensor(RNG.normal(size=(4, 8)).astype(np.float32))
ADJACENCY = ms.Tensor(RNG.random((4, 4)).astype(np.float32))


@pytest.fixture(autouse=True)
def _user_file():
    source_locations.add_user_file(__file__)
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Net(nn.Cell):
    """``middle``: what stands between the two layers."""

    def __init__(self, middle, activation=None):
        super().__init__()
        self.first, self.second = nn.Dense(8, 8, activation=activation), nn.Dense(8, 4)
        self.drop, self.middle = nn.Dropout(p=0.5), middle

    def construct(self, x):
        return self.second(self.middle(self, self.first(x)))


def _pairs(net):
    net.set_train()
    step = of_forward(lambda x: (net(x) ** 2).mean(), (X,), net.trainable_params(), [net])
    return [
        (p["first"], p["second"], p["sizes"], p["between"]) for p in connections(trace_step(step), step)["linear_pairs"]
    ]


@pytest.mark.parametrize(
    ("middle", "between"),
    [
        (lambda net, x: x, []),
        (lambda net, x: x.reshape(2, 2, 8).reshape(4, 8), ["reshape", "reshape"]),
        (lambda net, x: net.drop(x), ["dropout"]),
        (lambda net, x: ops.transpose(x, (0, 1)), ["transpose"]),
        (lambda net, x: ops.leaky_relu(x, 1.0), ["leakyrelu"]),
        (lambda net, x: nn.LeakyReLU(1.0)(x), ["leakyrelu"]),
        (lambda net, x: (ops.relu(x), x)[1], []),  # whose value nobody takes
    ],
)
def test_two_layers_in_a_row(middle, between):
    assert _pairs(Net(middle)) == [("first", "second", [8, 8, 4], between)]


def test_a_layer_that_holds_its_activation():
    net = nn.SequentialCell(nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 4, activation="sigmoid"))
    step = of_forward(lambda x: (net(x) ** 2).mean(), (X,), net.trainable_params(), [net])
    found = connections(trace_step(step), step)
    assert [(p["first"], p["second"]) for p in found["linear_pairs"]] == [("0", "1"), ("1", "2")]
    assert {cell["path"]: cell["used"] for cell in found["cells"] if cell["path"] in ("0", "1")} == {
        "0": True,
        "1": True,
    }


def test_a_dropout_at_rest_is_nothing():
    net = Net(lambda net, x: net.drop(x))
    step = of_forward(lambda x: (net(x) ** 2).mean(), (X,), net.trainable_params(), [net])
    (pair,) = connections(trace_step(step), step)["linear_pairs"]
    assert pair["between"] == []


def test_a_dropout_at_rest_without_a_gradient_is_not_unused():
    net = Net(lambda net, x: net.drop(x))
    step = of_forward(lambda x: (net(x) ** 2).mean(), (X,), net.second.trainable_params(), [net])
    used = {cell["path"]: cell["used"] for cell in connections(trace_step(step), step)["cells"]}
    assert (used["drop"], used["second"]) == (None, True), "it gives what it is given"


@pytest.mark.parametrize(
    "middle",
    [
        lambda net, x: ops.relu(x),
        lambda net, x: ops.leaky_relu(x, 0.5),
        lambda net, x: x + X,
        lambda net, x: x * ops.sigmoid(x),
        lambda net, x: x.reshape(4, 2, 4).max(axis=1).reshape(2, 8),
    ],
)
def test_something_in_between(middle):
    assert _pairs(Net(middle)) == []


def test_an_activation_of_the_layer_itself():
    assert _pairs(Net(lambda net, x: x, activation="relu")) == []


class Shift(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = ms.Parameter(ms.Tensor(RNG.normal(size=(8,)).astype(np.float32)), name="table")

    def construct(self, x):
        return x + self.table


class Stages(nn.Cell):
    """``chained``: each stage is given what the one before it gave."""

    def __init__(self, chained):
        super().__init__()
        self.stages, self.chained = nn.CellList([Shift(), nn.Dense(8, 8)]), chained

    def construct(self, x):
        given = x
        for stage in self.stages:
            x = stage(x if self.chained else given)
        return x


@pytest.mark.parametrize("chained", [True, False])
def test_a_cell_of_the_script_whose_result_is_overwritten(chained):
    net = Stages(chained)
    step = of_forward(lambda x: (net(x) ** 2).mean(), (X,), net.trainable_params(), [net])
    used = {cell["path"]: cell["used"] for cell in connections(trace_step(step), step)["cells"]}
    assert (used["stages.0"], used["stages.1"]) == (chained, True)


class Loss(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def construct(self, x):
        return (self.network(x) ** 2).mean()


class Outer(nn.Cell):
    """``losses``: one training cell each, called one after the other."""

    def __init__(self, *losses):
        super().__init__()
        self.steps = nn.CellList([nn.TrainOneStepCell(one, nn.SGD(one.trainable_params(), 0.1)) for one in losses])

    def construct(self, x):
        found = []
        for step in self.steps:
            found.append(step(x))
        return found


@pytest.mark.parametrize("networks", [1, 2])
def test_nested_training_cells(networks):
    nets = [Net(lambda net, x: ops.relu(x)) for _ in range(networks)]
    outer = Outer(*map(Loss, nets))
    step = of_train_cell(outer, (X,))
    facts = connections(trace_step(step), step)
    layers = [cell for cell in facts["cells"] if cell["class"] == "Dense"]
    assert facts["loss_seen"] is True and len(layers) == 2 * networks
    assert [(c["used"], c["gradient"], c["calls"]) for c in layers] == [(True, True, 1)] * len(layers)


def test_after_an_error_inside_a_gradient():
    """MindSpore (2.10) calls what is differentiated twice from then on."""

    def breaks(net, x):
        raise ValueError("the user's")

    with pytest.raises(ValueError, match="the user's"):
        Outer(Loss(Net(breaks)))(X)
    step = of_train_cell(Outer(Loss(Net(lambda net, x: ops.relu(x)))), (X,))
    cells = connections(trace_step(step), step)["cells"]
    assert [cell["calls"] for cell in cells if cell["class"] == "Dense"] == [1, 1]


class Drops(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc, self.drop = nn.Dense(8, 64), nn.Dropout(p=0.5)

    def construct(self, x, training=False, p=0.5):
        x = self.fc(x)
        if training:
            x = self.drop(x)
        return ops.dropout(x, p=p, training=p > 0)


PHASE = {"phase": "forward", "via": "call", "network": 0, "place": None, "first_step": 3}


@pytest.mark.parametrize(
    ("given", "called", "random"),
    [
        ({}, ["", "fc"], ["dropout"]),
        ({"p": 0.0}, ["", "fc"], []),
        ({"p": 0.0, "training": True}, ["", "drop", "fc"], ["Dropout"]),
    ],
)
def test_an_evaluation_call_made_twice(given, called, random):
    net, calls = Drops(), EvaluationCalls()
    net.set_train()
    calls.offer(PHASE, net, (X,), given)
    net.set_train(False)
    (facts,) = calls.facts()
    assert facts["called"] == called and [one["operator"] for one in facts["random"]] == random
    assert all(one["place"]["line"] > 0 for one in facts["random"]) and net.drop.training is False


def test_the_schedules_of_an_optimizers_groups_are_no_cells_of_the_network():
    net = Net(lambda net, x: ops.relu(x))
    rates = [nn.CosineDecayLR(1e-6, rate, 9) for rate in (1e-3, 1e-2)]
    groups = [{"params": list(one.trainable_params()), "lr": rate} for one, rate in zip((net.first, net.second), rates)]
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(groups))
    target = ms.Tensor(np.zeros((4, 4), np.float32))
    found = connections(trace_step(of_train_cell(step, (X, target))), of_train_cell(step, (X, target)))["cells"]
    assert [one["path"] for one in found if "learning_rate" in one["path"]] == []


def test_a_network_inside_the_casts_of_mixed_precision():
    net = ms.amp.auto_mixed_precision(nn.SequentialCell(nn.Dense(8, 8), nn.ReLU(), nn.Dense(8, 4)), "O2")
    step = of_forward(lambda x: (net(x).astype(ms.float32) ** 2).mean(), (X,), net.trainable_params(), [net])
    found = connections(trace_step(step), step)
    assert [cell["used"] for cell in found["cells"] if cell["class"] == "Dense"] == [True, True]


@pytest.mark.parametrize(
    ("middle", "pairs"),
    [
        (lambda net, x: ops.matmul(ADJACENCY, x), 1),  # of a graph
        (lambda net, x: ops.matmul(ops.matmul(x, x.T), x), 0),
        (lambda net, x: ops.relu(ops.matmul(ADJACENCY, x)), 0),
    ],
)
def test_a_product_with_a_matrix_that_is_given(middle, pairs):
    assert len(_pairs(Net(middle))) == pairs
