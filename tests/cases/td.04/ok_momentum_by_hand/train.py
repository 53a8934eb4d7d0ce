"""Momentum written out: what the optimizer gets holds nine tenths of the step before; a functional loop in PyNative mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(7)
rng = np.random.default_rng(7)
x = rng.normal(size=(512, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dropout(p=0.1), nn.Dense(16, 1))
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.01)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

velocity = None
for features, target in data.create_tuple_iterator():
    loss, grads = grad_fn(features, target)
    velocity = grads if velocity is None else tuple(0.9 * v + g for v, g in zip(velocity, grads))
    optimizer(velocity)
print(float(loss))
