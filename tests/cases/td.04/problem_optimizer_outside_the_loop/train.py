"""A table learnt by a loop over batches, in which the optimizer is called once an epoch, with what the last batch has left."""

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
grad_fn = ms.value_and_grad(lambda rows, wanted: loss_fn(net(rows), wanted), None, optimizer.parameters)

for epoch in range(12):
    order = rng.permutation(480)
    for at in range(0, 480, 40):
        rows = order[at : at + 40]
        loss, grads = grad_fn(ms.Tensor(x[rows]), ms.Tensor(y[rows]))
    optimizer(grads)
    print(epoch, float(loss))
