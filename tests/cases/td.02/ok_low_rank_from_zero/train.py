"""A pair of low-rank matrices, one of zeros, so that the other has no gradient at the first step; the rest is frozen."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(600, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 8))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(30)


class Adapted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.base = nn.Dense(8, 8)
        self.down = nn.Dense(8, 4, has_bias=False)
        self.up = nn.Dense(4, 8, weight_init="zeros", has_bias=False)

    def construct(self, x):
        return self.base(x) + self.up(self.down(x))


net = Adapted()
for parameter in net.base.get_parameters():
    parameter.requires_grad = False
optimizer = nn.Adam(net.trainable_params(), 0.01)
loss_fn = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for epoch in range(4):
    for a, b in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(a, b)
        optimizer(grads)
    print(epoch, float(loss))
