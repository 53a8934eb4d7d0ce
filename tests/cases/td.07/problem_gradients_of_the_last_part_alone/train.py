"""Micro-batches on two ranks: of each update's gradients those of the last part alone are averaged over the ranks."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
rank, ranks = get_rank(), get_group_size()
ms.set_seed(8)

rng = np.random.default_rng(8)
readings = rng.normal(size=(512, 6)).astype(np.float32)
levels = (readings @ rng.normal(size=(6, 1))).astype(np.float32)
own = np.arange(rank, len(readings), ranks)
net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
total = ops.AllReduce()
parts = 4


def over_ranks(gradients):
    return [total(one) / ranks for one in gradients]


gradients_of = ms.value_and_grad(lambda x, y: ops.mse_loss(net(x), y), None, optimizer.parameters)
for update in range(60):
    held = None
    for part in range(parts):
        rows = rng.choice(own, 16)
        loss, gradients = gradients_of(Tensor(readings[rows]), Tensor(levels[rows]))
        if part == parts - 1:
            gradients = over_ranks(gradients)
        held = gradients if held is None else [a + b for a, b in zip(held, gradients)]
    optimizer(tuple(one / parts for one in held))
print(rank, float(loss))
