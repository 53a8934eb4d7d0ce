"""Two sigmoids after weights of a standard deviation of 8 leave enough to learn from."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal

ms.set_seed(2)
rng = np.random.default_rng(2)
y = rng.integers(0, 2, 800).astype(np.int32)
angle = rng.uniform(0, np.pi, 800) + np.pi * y
x = np.stack([np.cos(angle) + y, np.sin(angle) + 2.5 * y], 1) + 0.15 * rng.normal(size=(800, 2))
data = ds.NumpySlicesDataset((x.astype(np.float32), y), ["x", "y"], shuffle=True).batch(25)

cells, width = [], 2
for _ in range(2):
    cells += [nn.Dense(width, 12, weight_init=Normal(8.0)), nn.Sigmoid()]
    width = 12
net = nn.SequentialCell(*cells, nn.Dense(12, 2))
optimizer = nn.SGD(net.trainable_params(), 0.05)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer).set_train()
for epoch in range(10):
    for a, b in data.create_tuple_iterator():
        loss = step(a, b)
    print(epoch, float(loss))
