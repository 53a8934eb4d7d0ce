"""An autoencoder of weather maps whose divergence is summed over the code, and the pixels averaged."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
hidden = rng.normal(0, 1, (800, 3)) @ rng.normal(0, 1, (3, 36))
maps = (1 / (1 + np.exp(-1.5 * hidden))).astype(np.float32)


class Maps(nn.Cell):
    def __init__(self):
        super().__init__()
        self.reader = nn.SequentialCell(nn.Dense(36, 48), nn.ReLU())
        self.middle, self.spread = nn.Dense(48, 4), nn.Dense(48, 4)
        self.writer = nn.SequentialCell(nn.Dense(4, 48), nn.ReLU(), nn.Dense(48, 36))

    def construct(self, x):
        read = self.reader(x)
        middle, spread = self.middle(read), self.spread(read)
        return self.writer(middle + ops.exp(0.5 * spread) * ops.randn_like(middle)), middle, spread


def bound(made, x, middle, spread):
    pixels = ops.binary_cross_entropy_with_logits(made, x, ops.ones_like(x), ops.ones_like(x), reduction="mean")
    divergence = -0.5 * ops.sum(1 + spread - middle**2 - ops.exp(spread)) / x.shape[0]
    return pixels + divergence


net = Maps()
optimizer = nn.Adam(net.trainable_params(), learning_rate=3e-3)


def forward(x):
    made, middle, spread = net(x)
    return bound(made, x, middle, spread)


step = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(16):
    order = rng.permutation(800)
    for begin in range(0, 800, 40):
        loss, gradients = step(Tensor(maps[order[begin : begin + 40]]))
        optimizer(gradients)
    print(epoch, loss)
