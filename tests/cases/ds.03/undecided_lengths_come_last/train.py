"""Guesses how large the next value of a series will be; the lengths of the series are the last column, and no label."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(41)
rng = np.random.default_rng(41)
steps = rng.choice([6, 7, 8], p=[0.02, 0.08, 0.9], size=300).astype(np.int32)
series = rng.normal(size=(300, 8)).astype(np.float32) * (np.arange(8) < steps[:, None])
size = (np.abs(series).sum(axis=1, keepdims=True) / 8).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(8, 12), nn.Dense(12, 1)

    def construct(self, values, lengths):
        return self.out(ops.tanh(self.hidden(values))) / lengths.astype(ms.float32).reshape(-1, 1)


data = ds.NumpySlicesDataset((series, size, steps), ["series", "size", "steps"], shuffle=True).batch(20)
net = Net()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
gradient = ms.value_and_grad(lambda v, s, n: ops.mse_loss(net(v, n), s), None, optimizer.parameters)
for values, size, length in data.create_tuple_iterator(num_epochs=1):
    loss, grads = gradient(values, size, length)
    optimizer(grads)
print(float(loss))
