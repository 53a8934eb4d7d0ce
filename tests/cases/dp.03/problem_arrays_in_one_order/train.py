"""A loop over NumPy arrays that are sorted by class, in the same order every epoch; no data set."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

np.random.seed(0)
ms.set_seed(0)
N, C = 600, 5
Y = np.sort(np.random.randint(0, C, N)).astype(np.int32)
MU = np.random.randn(C, 20) * 2
X = (MU[Y] + np.random.randn(N, 20)).astype(np.float32)
model = nn.SequentialCell(nn.Dense(20, 64), nn.GELU(approximate=False), nn.Dense(64, C))
optimizer = nn.Momentum(model.trainable_params(), learning_rate=0.02, momentum=0.9)


def loss_fn(x, y):
    return ops.cross_entropy(model(x), y)


step = ms.value_and_grad(loss_fn, None, optimizer.parameters)
bs = 30
for epoch in range(6):
    running = 0.0
    for i in range(0, N, bs):
        loss, grads = step(Tensor(X[i : i + bs]), Tensor(Y[i : i + bs]))
        optimizer(grads)
        running += float(loss.asnumpy())
    print(epoch, running / (N // bs))
