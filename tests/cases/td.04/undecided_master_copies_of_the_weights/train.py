"""The optimizer updates copies of the weights that are written back into the network after each step: mixed precision."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(15)
rng = np.random.default_rng(15)
x = rng.normal(size=(480, 8)).astype(np.float32)
y = (x[:, :1] - x[:, 1:2] * x[:, 2:3]).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(24)
net = nn.SequentialCell(nn.Dense(8, 24), nn.Tanh(), nn.Dense(24, 1))
weights = net.trainable_params()
masters = [ms.Parameter(weight.value().copy(), name="master." + weight.name) for weight in weights]
optimizer = nn.Adam(masters, 0.005)
grad_fn = ms.value_and_grad(lambda a, b: ops.mse_loss(net(a), b), None, net.trainable_params())
batches = data.create_tuple_iterator()
for epoch in range(3):
    for a, b in batches:
        loss, grads = grad_fn(a, b)
        optimizer(grads)
        for weight, master in zip(weights, masters):
            weight.set_data(master.value().copy())
    print(epoch, float(loss))
