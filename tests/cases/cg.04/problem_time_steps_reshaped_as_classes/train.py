"""A tag for each time step from 1-d convolutions, in a functional loop; the scores are reshaped with the channels in front."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(2)
rng = np.random.default_rng(2)
signal = rng.normal(0, 0.4, (128, 2, 20)).astype(np.float32)
tags = np.zeros((128, 20), np.int32)
for one, tag in zip(signal, tags):
    at, kind = rng.integers(0, 15), rng.integers(1, 3)
    one[kind - 1, at : at + 5] += 2
    tag[at : at + 5] = kind


class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(2, 12, 3, has_bias=True)
        self.second = nn.Conv1d(12, 3, 1, has_bias=True)

    def construct(self, x):
        return self.second(ops.relu(self.first(x)))


net = Tagger()
optimizer = nn.Adam(net.trainable_params(), 5e-3)


def forward(x, y):
    scores = net(x)
    scores = ops.reshape(scores, (-1, 3))
    return ops.cross_entropy(scores, y.reshape(-1))


gradient = ms.value_and_grad(forward, None, optimizer.parameters)
for number in range(24):
    rows = slice(16 * (number % 8), 16 * (number % 8) + 16)
    loss, gradients = gradient(ms.Tensor(signal[rows]), ms.Tensor(tags[rows]))
    optimizer(gradients)
print(loss)
