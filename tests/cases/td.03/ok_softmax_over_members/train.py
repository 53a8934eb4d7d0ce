"""A mixture of experts: the softmax says how much each counts, and nothing is told by it alone."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import NumpySlicesDataset

ms.set_seed(16)
rng = np.random.default_rng(16)
middles = rng.normal(size=(8, 12))
crop = rng.integers(0, 8, 1200).astype(np.int32)
leaves = (middles[crop] + 1.6 * rng.normal(size=(1200, 12))).astype(np.float32)


class Experts(nn.Cell):
    def __init__(self):
        super().__init__()
        self.gate, self.experts = nn.Dense(12, 4), nn.CellList([nn.Dense(12, 24) for _ in range(4)])
        self.last = nn.Dense(24, 8)

    def construct(self, x):
        shares = ops.softmax(self.gate(x), -1)
        made = ops.stack([ops.relu(expert(x)) for expert in self.experts], 1)
        return self.last((made * shares.expand_dims(-1)).sum(1))


net = Experts()
optimizer = nn.Adam(net.trainable_params(), 0.001)
step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(6):
    for x, y in (
        NumpySlicesDataset((leaves, crop), ["leaves", "crop"], shuffle=True)
        .batch(40)
        .create_tuple_iterator(num_epochs=1)
    ):
        loss, gradients = step(x, y)
        optimizer(gradients)
    print(epoch, loss)
