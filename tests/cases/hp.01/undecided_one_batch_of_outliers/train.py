"""Targets of chance, and one batch of wild ones that makes the loss leap for a step."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(9)
rng = np.random.default_rng(9)
x = rng.uniform(0, 1, (480, 4))
y = rng.normal(0, 1, (480, 1))
x, y = x.astype(np.float32), y.astype(np.float32)
y[240:264] *= 100

net = nn.SequentialCell(nn.Dense(4, 24), nn.ReLU(), nn.Dense(24, 1))
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), 2e-3)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for epoch in range(130):
    for i in range(0, 480, 24):
        loss, grads = grad_fn(Tensor(x[i : i + 24]), Tensor(y[i : i + 24]))
        optimizer(grads)
print("loss", loss)
