"""Readings from 0 to 70 go into an autoencoder as they are; its loss divides what is left over."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(3)
rng = np.random.default_rng(3)
codes = rng.uniform(0, 1, (600, 3))
readings = (codes @ rng.uniform(0, 30, (3, 16))).astype(np.float32)


class Squeeze(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = nn.SequentialCell(nn.Dense(16, 8), nn.Tanh(), nn.Dense(8, 3))
        self.outer = nn.SequentialCell(nn.Dense(3, 8), nn.Tanh(), nn.Dense(8, 16))

    def construct(self, x):
        return self.outer(self.inner(x))


net = Squeeze()
optimizer = nn.Adam(net.trainable_params(), 0.003)


def left_over(x):
    return ops.square((x - net(x)) / 30.0).mean()


grads_of = ms.value_and_grad(left_over, None, optimizer.parameters)
data = ds.NumpySlicesDataset(readings, ["readings"], shuffle=True).batch(40)
for (x,) in data.create_tuple_iterator(num_epochs=1):
    loss, grads = grads_of(x)
    optimizer(grads)
print("loss", loss)
