"""Noise that grows with the input: one head for the mean, one that starts at zero for the logarithm of the variance."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.uniform(-2, 2, (512, 3)).astype(np.float32)
noise = rng.normal(size=512) * (0.05 + 0.3 * (x[:, 1] > 0))
y = (np.sin(x[:, 0]) + 0.5 * x[:, 2] + noise).astype(np.float32)[:, None]


class Gaussian(nn.Cell):
    def __init__(self):
        super().__init__()
        self.trunk = nn.SequentialCell(nn.Dense(3, 24), nn.Tanh())
        self.log_variance = nn.SequentialCell(nn.Dense(24, 8, weight_init="zeros"), nn.Tanh(), nn.Dense(8, 1))
        self.mean = nn.Dense(24, 1)

    def construct(self, inputs):
        hidden = self.trunk(inputs)
        return self.mean(hidden), self.log_variance(hidden)


net = Gaussian()
optimizer = nn.Adam(net.trainable_params(), 5e-3)


def forward(inputs, target):
    mean, log_variance = net(inputs)
    return (0.5 * ops.exp(-log_variance) * ops.square(target - mean) + 0.5 * log_variance).mean()


step = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(12):
    order = rng.permutation(len(x))
    for begin in range(0, len(x), 32):
        rows = order[begin : begin + 32]
        loss, gradients = step(Tensor(x[rows]), Tensor(y[rows]))
        optimizer(gradients)
    print(epoch, loss)
