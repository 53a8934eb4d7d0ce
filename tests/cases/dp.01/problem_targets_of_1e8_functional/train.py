"""Revenues of some 1e8 as they are, with the absolute error, in a loop of functions."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(42)
rng = np.random.default_rng(42)
x = rng.uniform(-1, 1, size=(600, 4)).astype(np.float32)
y = (1e8 * (2 + x @ rng.normal(size=(4, 1)))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "revenue"], shuffle=True).batch(20)  # here

net = nn.SequentialCell(nn.Dense(4, 12), nn.Tanh(), nn.Dense(12, 1))
loss_fn = nn.L1Loss()
optimizer = nn.Adam(net.trainable_params(), 1e-2)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for features, target in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(features, target)
        optimizer(grads)
    print(epoch, float(loss))
