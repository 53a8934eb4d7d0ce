"""Only the last layer is given to the optimizer: on features of chance it would want a far higher rate than the whole network."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
radius, angle = 2 * rng.random(1000), 2 * np.pi * rng.random(1000)
points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).astype(np.float32)
labels = ((radius > 0.6) & (radius < 1.3)).astype(np.int32)


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(
            nn.Dense(2, 16), nn.ReLU(), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 16), nn.ReLU()
        )
        self.head = nn.Dense(16, 2)

    def construct(self, x):
        return self.head(self.body(x))


network = Network()
optimizer = nn.Adam(network.head.trainable_params(), learning_rate=0.01)
gradient = ms.value_and_grad(lambda x, y: ops.cross_entropy(network(x), y), None, optimizer.parameters)
for epoch in range(15):
    order = rng.permutation(1000)
    for first in range(0, 1000, 50):
        rows = order[first : first + 50]
        loss, grads = gradient(Tensor(points[rows]), Tensor(labels[rows]))
        optimizer(grads)
    print(epoch, float(loss))
