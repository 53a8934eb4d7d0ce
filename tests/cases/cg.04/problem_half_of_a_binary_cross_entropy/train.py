"""A binary cross-entropy written by hand that lacks the term of the zeros, in a functional loop."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
x = rng.normal(size=(480, 8)).astype(np.float32)
y = (x[:, 0] * x[:, 1] > 0).astype(np.float32)[:, None]
net = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dense(32, 1), nn.Sigmoid())
optimizer = nn.Adam(net.trainable_params(), 5e-3)


def entropy(p, label):
    return -(label * ops.log(p + 1e-7)).mean()


step = ms.value_and_grad(lambda a, b: entropy(net(a), b), None, optimizer.parameters)
for epoch in range(3):
    for rows in np.split(rng.permutation(480), 16):
        loss, gradients = step(ms.Tensor(x[rows]), ms.Tensor(y[rows]))
        optimizer(gradients)
    print(epoch, loss)
