"""Six kinds of measurements told apart by one output, trained by hand on the numbers of the kinds."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(7)
ms.set_context(mode=ms.PYNATIVE_MODE)
rng = np.random.default_rng(12)
centres = rng.normal(size=(6, 8)) * 1.5
kinds = rng.integers(0, 6, 1200)
readings = (centres[kinds] + rng.normal(size=(1200, 8))).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(8, 32), nn.Dense(32, 1)

    def construct(self, x):
        return self.second(ops.tanh(self.first(x))).squeeze(-1)


net = Net()
optimizer = nn.Momentum(net.trainable_params(), 0.02, 0.9)


def forward(x, kind):
    difference = net(x) - kind
    return (difference * difference).mean()


step = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(8):
    order = rng.permutation(1000)
    for start in range(0, 1000, 40):
        rows = order[start : start + 40]
        loss, grads = step(ms.Tensor(readings[rows]), ms.Tensor(kinds[rows].astype(np.float32)))
        optimizer(grads)
    print("epoch", epoch, "loss", float(loss))
