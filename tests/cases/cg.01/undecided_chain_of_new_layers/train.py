"""A siamese network: whether its two branches are meant as one layer, a chain of new names does not tell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(2)
rng = np.random.default_rng(2)
a, b = (rng.normal(size=(64, 6)).astype(np.float32) for _ in range(2))
y = (np.abs(a - b).sum(1, keepdims=True) / 6).astype(np.float32)
data = ds.NumpySlicesDataset((a, b, y), ["a", "b", "y"], shuffle=True).batch(16)


class Siamese(nn.Cell):
    def __init__(self):
        super().__init__()
        self.left = self.right = nn.Dense(6, 8)
        self.head = nn.Dense(8, 1)

    def construct(self, a, b):
        return self.head(ops.abs(self.left(a) - self.right(b)))


net = Siamese()
loss_fn, optimizer = nn.MSELoss(), nn.Adam(net.trainable_params(), 1e-2)
grad_fn = ms.value_and_grad(lambda a, b, y: loss_fn(net(a, b), y), None, optimizer.parameters)
for epoch in range(3):
    for a, b, y in data.create_tuple_iterator():
        loss, grads = grad_fn(a, b, y)
        optimizer(grads)
    print(epoch, float(loss))
