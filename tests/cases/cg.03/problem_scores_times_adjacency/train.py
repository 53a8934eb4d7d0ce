"""Attention over a graph whose scores are multiplied by the links, in place of hiding the other nodes; a functional loop."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(2)
rng = np.random.default_rng(2)
NODES, CLASSES = 120, 3
label = rng.integers(0, CLASSES, NODES).astype(np.int32)
links = np.triu(rng.random((NODES, NODES)) < np.where(label[:, None] == label, 0.12, 0.01), 1)
links = (links | links.T | np.eye(NODES, dtype=bool)).astype(np.float32)
words = (np.eye(CLASSES)[label] @ rng.normal(size=(CLASSES, 16)) + 2.0 * rng.normal(size=(NODES, 16))).astype(
    np.float32
)


class Layer(nn.Cell):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.query, self.key, self.value = (nn.Dense(inputs, outputs) for _ in range(3))

    def construct(self, nodes, edges):
        scores = ops.matmul(self.query(nodes), self.key(nodes).T) / 4.0
        weights = ops.softmax(ops.mul(scores, edges), axis=-1)  # here
        return ops.matmul(weights, self.value(nodes))


class Graph(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = Layer(16, 16), Layer(16, CLASSES)

    def construct(self, nodes, edges):
        return self.second(ops.relu(self.first(nodes, edges)), edges)


net, known = Graph(), Tensor(np.arange(0, NODES, 2).astype(np.int32))
nodes, edges, wanted = Tensor(words), Tensor(links), Tensor(label[::2])
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
gradient = ms.value_and_grad(
    lambda nodes, edges: ops.cross_entropy(net(nodes, edges)[known], wanted), None, optimizer.parameters
)
for step in range(120):
    loss, grads = gradient(nodes, edges)
    optimizer(grads)
print(float(loss))
