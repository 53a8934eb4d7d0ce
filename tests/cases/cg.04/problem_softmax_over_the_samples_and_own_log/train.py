"""Softmax(axis=0) before a cross-entropy that is written out in the training loop."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(2)
rng = np.random.default_rng(2)
labels = rng.integers(0, 3, 160)
points = (rng.normal(size=(3, 8))[labels] + 0.3 * rng.normal(size=(160, 8))).astype(np.float32)
targets = np.eye(3, dtype=np.float32)[labels]
network = nn.SequentialCell(
    nn.Dense(8, 16),
    nn.ReLU(),
    nn.Dense(16, 3),
    nn.Softmax(axis=0),
)
optimizer = nn.Adam(network.trainable_params(), 0.005)


def error(x, target):
    share = network(x)
    return -(target * ops.log(share + 1e-7)).sum() / x.shape[0]


gradient = ms.value_and_grad(error, None, optimizer.parameters)
for epoch in range(20):
    order = rng.permutation(160)
    for first in range(0, 160, 16):
        rows = order[first : first + 16]
        loss, grads = gradient(Tensor(points[rows]), Tensor(targets[rows]))
        optimizer(grads)
    print(epoch, float(loss))
