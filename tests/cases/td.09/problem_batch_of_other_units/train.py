"""One file of the data is in millimetres: its batch throws the weights away, and the loss never comes back."""

import mindspore as ms
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(2)
rng = np.random.default_rng(2)
x = rng.normal(size=(4000, 6)).astype(np.float32)
y = (np.tanh(x[:, :1]) + 0.5 * x[:, 1:2]).astype(np.float32)
x[2400:2420] *= 1000
y[2400:2420] *= 1000
net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.SGD(net.trainable_params(), 0.02)
loss_fn = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)  # here
for i in range(0, 4000, 20):
    loss, grads = grad_fn(ms.Tensor(x[i : i + 20]), ms.Tensor(y[i : i + 20]))
    optimizer(grads)
    if i % 800 == 0:
        print(i, float(loss))
