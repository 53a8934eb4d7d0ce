"""Exclusive or: the four rows are all that there is."""

import mindspore as ms
import numpy as np
from mindspore import nn

ms.set_seed(7)
x = ms.Tensor(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32))
y = ms.Tensor(np.array([[0], [1], [1], [0]], np.float32))
net = nn.SequentialCell(nn.Dense(2, 8), nn.Tanh(), nn.Dense(8, 1), nn.Sigmoid())
loss_fn = nn.BCELoss()
opt = nn.Adam(net.trainable_params(), learning_rate=0.05)


def forward(x, y):
    return loss_fn(net(x), y)


step = ms.value_and_grad(forward, None, net.trainable_params())
for i in range(120):
    loss, grads = step(x, y)
    opt(grads)
print(net(x).asnumpy().round())
