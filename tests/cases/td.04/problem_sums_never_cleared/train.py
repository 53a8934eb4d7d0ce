"""Gradients of four micro-batches are added up and never cleared; a functional loop in PyNative mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(512, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 1))
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.01)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y) / 4, None, optimizer.parameters)

total = None
for number, (features, target) in enumerate(data.create_tuple_iterator(), 1):
    loss, grads = grad_fn(features, target)
    total = grads if total is None else tuple(a + b for a, b in zip(total, grads))
    if number % 4 == 0:
        optimizer(total)
        print(number, 4 * float(loss))
