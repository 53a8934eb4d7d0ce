"""One batch with labels of another kind in a long training: a single spike, and the loss is back at once."""

import mindspore as ms
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)
x = rng.normal(size=(4000, 6)).astype(np.float32)
y = (x @ rng.normal(size=(6, 1))).astype(np.float32)
y[2400:2420] += 15
net = nn.Dense(6, 1)
optimizer = nn.SGD(net.trainable_params(), 0.02)
loss_fn = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for i in range(0, 4000, 20):
    loss, grads = grad_fn(ms.Tensor(x[i : i + 20]), ms.Tensor(y[i : i + 20]))
    optimizer(grads)
print(float(loss))
