"""Weights of a standard deviation of 5 in a cell of the script's own: class scores that start far off, and end so."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_seed(8)
rng = np.random.default_rng(8)
labels = rng.integers(0, 6, 800).astype(np.int32)
points = (rng.normal(size=(6, 24))[labels] + 0.9 * rng.normal(size=(800, 24))).astype(np.float32)


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w1 = Parameter(Tensor(5 * rng.normal(size=(24, 40)), ms.float32), name="w1")
        self.w2 = Parameter(Tensor(5 * rng.normal(size=(40, 6)), ms.float32), name="w2")
        self.bias = Parameter(Tensor(np.zeros(6), ms.float32), name="bias")

    def construct(self, x):
        return ops.matmul(ops.sigmoid(ops.matmul(x, self.w1)), self.w2) + self.bias


network = Network()
optimizer = nn.SGD(network.trainable_params(), learning_rate=0.3)
gradient = ms.value_and_grad(lambda x, y: ops.cross_entropy(network(x), y), None, optimizer.parameters)
for epoch in range(10):
    order = rng.permutation(800)
    for first in range(0, 800, 40):
        rows = order[first : first + 40]
        loss, grads = gradient(Tensor(points[rows]), Tensor(labels[rows]))
        optimizer(grads)
    print(epoch, float(loss))
