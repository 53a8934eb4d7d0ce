"""A recurrent layer that goes along the samples of a batch."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.network.mixed_samples import mixed_samples
from msprec.probe.steps.captured_steps import Material
from msprec.runtime import source_locations

RNG = np.random.default_rng(4)
LABELS = Tensor(RNG.normal(size=12).astype(np.float32))


class Net(nn.Cell):
    """The last place of axis 1 of a recurrent layer's result."""

    def __init__(self, recurrent):
        super().__init__()
        self.recurrent, self.head = recurrent, nn.Dense(5, 1)

    def construct(self, x):
        return self.head(self.recurrent(x)[0][:, -1])


class Weighted(nn.Cell):
    """Hidden layers as wide as the batch is long, and a softmax along an axis."""

    def __init__(self, axis):
        super().__init__()
        self.hidden, self.head, self.axis = nn.Dense(3, 12), nn.Dense(12, 1), axis

    def construct(self, x):
        return self.head(ops.softmax(self.hidden(x[:, 0]), axis=self.axis))


def mixed_in(net, steps):
    source_locations.add_user_file(__file__)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x = Tensor(RNG.normal(size=(12, steps, 3)).astype(np.float32))

    def forward(x, y):
        return ((net(x)[:, 0] - y) ** 2).mean()

    def build(given, _=None):
        return of_forward(forward, given, net.trainable_params(), [net])

    material = Material()
    material.offer("functional", (x, LABELS), build, [net], [nn.SGD(net.trainable_params())])
    return mixed_samples(material)


@pytest.mark.parametrize(("axis", "found"), [(0, "softmax"), (1, None)])
def test_a_layer_as_wide_as_the_batch_is_long(axis, found):
    mixed = mixed_in(Weighted(axis), 4)
    assert (mixed and mixed["operator"]) == found


@pytest.mark.parametrize(
    ("recurrent", "steps", "found"),
    [
        (lambda: nn.LSTM(3, 5), 7, "LSTM"),
        (lambda: nn.GRU(3, 5), 7, "GRU"),
        (lambda: nn.LSTM(3, 5, batch_first=True), 7, None),
        (lambda: nn.LSTM(3, 5), 1, None),  # one sequence, of as many steps as there are rows
        (lambda: nn.LSTM(3, 5), 12, "LSTM"),  # as many steps as samples: told with one sample less
    ],
)
def test_a_recurrent_layer_along_the_samples(recurrent, steps, found):
    mixed = mixed_in(Net(recurrent()), steps)
    assert (mixed and mixed["operator"]) == found


class Graph(nn.Cell):
    """What is computed of twelve nodes, carried on along the edges of a sparse graph."""

    def __init__(self, edges):
        super().__init__()
        self.hidden, self.head, self.edges = nn.Dense(3, 5), nn.Dense(5, 1), Tensor(edges.astype(np.float32))

    def construct(self, x):
        return self.head(ops.matmul(self.edges, ops.relu(self.hidden(x[:, 0]))))


@pytest.mark.parametrize(("edges", "found"), [(np.eye(12) + np.eye(12, k=1), "matmul"), (np.eye(12), None)])
def test_a_matrix_that_carries_samples_to_others(edges, found):
    mixed = mixed_in(Graph(edges), 4)
    assert (mixed and mixed["operator"]) == found
    assert mixed is None or mixed["matrix"]
