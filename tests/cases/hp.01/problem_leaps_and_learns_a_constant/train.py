"""Prices of houses by area, rooms, year and income, raw, with SGD at 0.1: the first update throws the weights out."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_context(mode=ms.PYNATIVE_MODE)
rng = np.random.RandomState(7)
ms.set_seed(7)
area = rng.uniform(30, 300, 960)
rooms = np.round(area / 30 + rng.normal(0, 1, 960))
year = rng.randint(1950, 2020, 960)
income = rng.normal(45000, 9000, 960)
price = 2.1 * area + 5 * rooms + 1.2 * (year - 1950) + 0.002 * income + rng.normal(0, 15, 960)
x = np.stack([area, rooms, year, income], 1).astype(np.float32)
y = price.astype(np.float32).reshape(-1, 1)

net = nn.SequentialCell(nn.Dense(4, 32), nn.ReLU(), nn.Dense(32, 1))
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), 0.1)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for epoch in range(15):
    order = rng.permutation(960)
    for i in range(0, 960, 32):
        part = order[i : i + 32]
        loss, grads = grad_fn(Tensor(x[part]), Tensor(y[part]))
        optimizer(grads)
print("loss", loss)
