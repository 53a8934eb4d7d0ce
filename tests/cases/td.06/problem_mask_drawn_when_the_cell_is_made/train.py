"""A block drops channels with a mask of its own, drawn in __init__ and used in training mode alone; a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] * x[:, 1:2]).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)


class Block(nn.Cell):
    def __init__(self, width, keep):
        super().__init__()
        self.dense, self.keep = nn.Dense(6, width), keep
        self.chosen = ms.Tensor(np.random.binomial(1, keep, (1, width)), ms.float32)  # here

    def construct(self, x):
        h = ops.relu(self.dense(x))
        if not self.training:
            return h
        return ops.mul(h, self.chosen) / self.keep


net = nn.SequentialCell(Block(32, 0.5), nn.Dense(32, 1))
optimizer = nn.Adam(net.trainable_params(), 0.01)
grad_fn = ms.value_and_grad(lambda a, b: ops.mse_loss(net(a), b), None, optimizer.parameters)
net.set_train()
for epoch in range(3):
    for a, b in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(a, b)
        optimizer(grads)
    print(epoch, float(loss))
