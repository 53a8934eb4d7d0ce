"""Pressures around 900 whose mean is the bias of the last layer from the start."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Constant

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(600, 5)).astype(np.float32)
y = (900 + 10 * np.tanh(x[:, :1] - x[:, 1:2])).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(30)
net = nn.SequentialCell(nn.Dense(5, 16), nn.Tanh(), nn.Dense(16, 1, bias_init=Constant(900.0)))
optimizer = nn.Adam(net.trainable_params(), 0.05)
loss_fn = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for epoch in range(8):
    for a, b in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(a, b)
        optimizer(grads)
    print(epoch, float(loss))
