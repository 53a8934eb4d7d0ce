"""Two views are normalised along the samples, the default of L2Normalize, and compared by their products."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
centres = rng.normal(size=(8, 10))
BATCH = 32


class Contrast(nn.Cell):
    def __init__(self):
        super().__init__()
        self.lengths = ops.L2Normalize()
        self.targets = Tensor(np.arange(BATCH), ms.int32)

    def construct(self, one, other):
        one, other = self.lengths(one), self.lengths(other)
        return ops.cross_entropy(ops.matmul(one, other.T) / 0.2, self.targets)


net = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU(), nn.Dense(32, 16))
contrast = Contrast()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.002)


def forward(one, other):
    return contrast(net(one), net(other))


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for step in range(80):
    first = centres[rng.integers(0, 8, BATCH)] + 0.5 * rng.normal(size=(BATCH, 10))
    second = first + 0.1 * rng.normal(size=(BATCH, 10))
    loss, grads = grad_fn(Tensor(first.astype(np.float32)), Tensor(second.astype(np.float32)))
    optimizer(grads)
    if step % 20 == 19:
        print(step, float(loss))
