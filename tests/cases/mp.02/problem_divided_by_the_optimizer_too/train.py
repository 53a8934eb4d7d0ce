"""A loss scale that a loop divides out, and the optimizer's loss_scale once more."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(6)
rng = np.random.default_rng(6)
SCALE = 512.0
x = rng.normal(size=(512, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1)) + 0.1 * rng.normal(size=(512, 1))).astype(np.float32)
net = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dense(32, 1)).to_float(ms.float16)
weights = net.trainable_params()
optimizer = nn.SGD(weights, learning_rate=0.05, momentum=0.9, loss_scale=SCALE)


def objective(a, b):
    return ops.mse_loss(net(a).astype(ms.float32), b) * SCALE


step = ms.value_and_grad(objective, None, weights)
for epoch in range(8):
    for rows in np.array_split(rng.permutation(512), 16):
        loss, grads = step(ms.Tensor(x[rows]), ms.Tensor(y[rows]))
        optimizer(tuple(grad / SCALE for grad in grads))
    print(epoch, float(loss) / SCALE)
