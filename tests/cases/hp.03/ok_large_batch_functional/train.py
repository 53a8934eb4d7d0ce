"""Batches of 1500 of plain arrays in a loop of functions, sixty an epoch: it falls as a small batch would."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(33)
rng = np.random.default_rng(33)
x = rng.normal(size=(90000, 4)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(4, 3)), axis=1).astype(np.int32)

net = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 3))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 0.02)


def forward(a, b):
    return loss_fn(net(a), b)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    order = rng.permutation(90000)
    for start in range(0, 90000, 1500):
        rows = order[start : start + 1500]
        loss, grads = grad_fn(Tensor(x[rows]), Tensor(y[rows]))
        optimizer(grads)
    print(epoch, float(loss))
