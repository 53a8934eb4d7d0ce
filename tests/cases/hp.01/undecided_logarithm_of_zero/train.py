"""A logarithm of zero makes the loss NaN in the middle of a calm training: not a matter of the rate."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(7)
rng = np.random.default_rng(7)
x = np.abs(rng.normal(size=(640, 4))).astype(np.float32) + 0.1
x[400:420, 2] = 0.0
y = np.log(x[:, :1] + 0.1).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(32)

net = nn.Dense(4, 1)
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.01)


def forward(x, y):
    return ops.square(net(ops.log(x)) - y).mean()


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for features, target in data.create_tuple_iterator(num_epochs=1):
    loss, grads = grad_fn(features, target)
    optimizer(grads)
    print(float(loss))
