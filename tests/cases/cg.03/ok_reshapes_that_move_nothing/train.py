"""Heads joined with the samples where a head is as wide as there are samples, and scores shifted by a pad and a view."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(2)
rng = np.random.default_rng(2)
series = rng.normal(size=(480, 10, 6)).astype(np.float32)
target = (3 * series[:, :, :2].mean((1, 2)) + series[:, :, 3].max(1))[:, None].astype(np.float32)


class Relative(nn.Cell):
    """Time first, as PyTorch's attention has it; relative places after Dai et al. 2019."""

    def __init__(self, width=64, heads=4):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.start, self.qkv, self.out = nn.Dense(6, width), nn.Dense(width, 3 * width), nn.Dense(width, 1)
        self.bias = ms.Parameter(ms.Tensor(rng.normal(0, 0.1, (10, self.size)), ms.float32), name="bias")

    def shift(self, scores):
        batch, rows, columns = scores.shape
        padded = ops.cat((ops.zeros((batch, rows, 1), ms.float32), scores), axis=2)
        return padded.view(batch, columns + 1, rows)[:, 1:].view(batch, rows, columns)

    def construct(self, x):
        time, samples, _ = x.shape
        q, k, v = ops.split(self.qkv(ops.relu(self.start(x))), 64, axis=2)
        q, k, v = [one.view(time, samples * self.heads, self.size).swapaxes(0, 1) for one in (q, k, v)]
        scores = ops.bmm(q, k.swapaxes(1, 2)) + self.shift(ops.matmul(q, self.bias.swapaxes(0, 1)))
        mixed = ops.bmm(ops.softmax(scores / self.size**0.5, axis=-1), v)
        mixed = mixed.swapaxes(0, 1).view(time, samples, self.heads * self.size)
        return self.out(mixed.mean(0))


data = ds.NumpySlicesDataset((series, target), ["series", "target"], shuffle=True).batch(16, drop_remainder=True)
net = Relative()
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 3e-3)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x.swapaxes(0, 1)), y), None, optimizer.parameters)
for epoch in range(8):
    for x, y in data.create_tuple_iterator():
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    print(epoch, loss)
