"""Gradients of four small batches are added up, clipped and applied, and the sums go on growing."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(2)
rng = np.random.default_rng(2)
x = rng.normal(size=(640, 12)).astype(np.float32)
y = (x[:, :3].sum(1) > 0).astype(np.int32)

net = nn.SequentialCell(nn.Dense(12, 24), nn.ReLU(), nn.Dense(24, 2))
optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
compare = nn.CrossEntropyLoss()
step = ms.value_and_grad(lambda rows, labels: compare(net(rows), labels), None, optimizer.parameters)

sums = [np.zeros(one.shape, np.float32) for one in optimizer.parameters]
seen = 0
for epoch in range(6):
    order = rng.permutation(len(x))
    for begin in range(0, len(x), 8):
        rows = order[begin : begin + 8]
        loss, gradients = step(Tensor(x[rows]), Tensor(y[rows]))
        sums = [held + one.asnumpy() / 4 for held, one in zip(sums, gradients)]
        seen += 1
        if seen % 4 == 0:
            optimizer(ops.clip_by_global_norm(tuple(Tensor(one) for one in sums), 0.5))
    print(epoch, loss)
