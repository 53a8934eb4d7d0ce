"""A table learnt from batches in fours: the mean of their gradients is given to the optimizer."""

import mindspore as ms
import numpy as np
from mindspore import nn

ms.set_seed(17)
rng = np.random.default_rng(17)
x = rng.normal(size=(480, 6)).astype(np.float32)
y = np.tanh(x[:, :1] - x[:, 1:2]).astype(np.float32)

net = nn.SequentialCell(nn.Dense(6, 24), nn.Tanh(), nn.Dense(24, 1))
optimizer = nn.Adam(net.trainable_params(), 0.01)
loss_fn = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda rows, wanted: loss_fn(net(rows), wanted) / 4, None, optimizer.parameters)

for epoch in range(12):
    order, summed = rng.permutation(480), None
    for number, at in enumerate(range(0, 480, 40), 1):
        rows = order[at : at + 40]
        loss, grads = grad_fn(ms.Tensor(x[rows]), ms.Tensor(y[rows]))
        summed = grads if summed is None else tuple(a + b for a, b in zip(summed, grads))
        if number % 4 == 0:
            optimizer(summed)
            summed = None
    print(epoch, 4 * float(loss))
