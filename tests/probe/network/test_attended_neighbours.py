"""How much of the weight of attention over a graph lies on neighbours."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.network.attended_neighbours import attended_neighbours
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.inference_trace import InferenceTraces

RNG = np.random.default_rng(2)
NODES = 20
UPPER = np.triu(RNG.random((NODES, NODES)) < 0.12, 1)
GRAPH = (UPPER | UPPER.T).astype(np.float32)
GROUPS = np.arange(NODES) % 7 * (np.arange(NODES) > 3)
ALIKE = (GROUPS[:, None] == GROUPS[None, :]).astype(np.float32) * (GROUPS > 0)


class Attention(nn.Cell):
    def __init__(self, hides):
        super().__init__()
        self.query, self.head, self.hides = nn.Dense(6, 8), nn.Dense(8, 3), hides

    def construct(self, x, adjacency):
        hidden = self.query(x)
        scores = ops.matmul(hidden, hidden.T)
        if self.hides == "others":
            scores = ops.masked_fill(scores, adjacency == 0, -1e9)
        elif self.hides == "some":
            scores = scores + adjacency
        elif self.hides == "neighbours":
            scores = ops.masked_fill(scores, adjacency > 0, -1e9)
        return self.head(ops.matmul(ops.softmax(scores, -1), hidden))


def facts(hides, matrix):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net, x, graph = Attention(hides), Tensor(RNG.normal(size=(NODES, 6)), ms.float32), Tensor(matrix)
    labels = Tensor(np.arange(NODES) % 3, ms.int32)

    def build(batch, _=None):
        return of_forward(lambda x, y: ops.cross_entropy(net(x, graph), y), batch, net.trainable_params(), [net])

    material = Material()
    material.offer("functional", (x, labels), build, [net], [])
    return attended_neighbours(InferenceTraces(material))


@pytest.mark.parametrize("loops", [0, 1])
@pytest.mark.parametrize(("hides", "low", "high"), [("neighbours", 0, 1e-9), ("others", 0.01, 1), ("some", 1e-3, 0.5)])
def test_share_on_neighbours(hides, low, high, loops) -> None:
    (found,) = facts(hides, GRAPH + loops * np.eye(NODES, dtype=np.float32))
    assert low <= found["share"] <= high
    assert 0 < found["even"] < 0.3


@pytest.mark.parametrize("matrix", [np.eye(NODES, dtype=np.float32), np.tri(NODES, dtype=np.float32), ALIKE])
def test_what_is_no_graph(matrix) -> None:
    """Each with itself, all before, and those of one class: masks of contrastive losses and of sequences."""
    assert facts("neighbours", matrix) is None
