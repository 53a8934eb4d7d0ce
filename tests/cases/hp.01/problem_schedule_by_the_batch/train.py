"""The rate falls by a tenth after two epochs, as it is meant: but the schedule is stepped with each batch"""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.experimental import optim

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
inputs = rng.standard_normal((480, 8)).astype(np.float32)
targets = np.tanh(inputs[:, :1] * 2 - inputs[:, 1:2]).astype(np.float32)
data = ds.NumpySlicesDataset((inputs, targets), ["x", "y"], shuffle=True).batch(16, drop_remainder=True)
batches = data.create_tuple_iterator()

net = nn.SequentialCell(nn.Dense(8, 32), nn.Tanh(), nn.Dense(32, 1))
loss_fn = nn.MSELoss()
optimizer = optim.SGD(net.trainable_params(), lr=0.01)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, net.trainable_params())
for epoch in range(8):
    for x, y in batches:
        loss, grads = grad_fn(x, y)
        optimizer(grads)
        scheduler.step()
    print(epoch, float(loss))
