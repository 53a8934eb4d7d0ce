"""The cross-entropy is driven up, which no rate makes good."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(2)
rng = np.random.default_rng(2)
labels = rng.integers(0, 4, 480).astype(np.int32)
points = (rng.normal(size=(4, 12))[labels] + 0.3 * rng.normal(size=(480, 12))).astype(np.float32)
network = nn.SequentialCell(nn.Dense(12, 24), nn.ReLU(), nn.Dense(24, 4))
optimizer = nn.SGD(network.trainable_params(), learning_rate=0.1)
gradient = ms.value_and_grad(lambda x, y: -ops.cross_entropy(network(x), y), None, optimizer.parameters)
for epoch in range(10):
    for first in range(0, 480, 16):
        loss, grads = gradient(Tensor(points[first : first + 16]), Tensor(labels[first : first + 16]))
        optimizer(grads)
    print(epoch, float(loss))
