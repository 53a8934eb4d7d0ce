"""Residual blocks whose last convolution, and a classifier whose output layer, start at zero."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Zero

ms.set_seed(22)
rng = np.random.default_rng(22)


class Residual(nn.Cell):
    def __init__(self, c):
        super().__init__()
        self.c1 = nn.Conv2d(c, c, 3)
        self.c2 = nn.Conv2d(c, c, 3, weight_init=Zero())
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(x + self.c2(self.relu(self.c1(x))))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 8, 3)
        self.r1, self.r2 = Residual(8), Residual(8)
        self.flat = nn.Flatten()
        self.head = nn.Dense(8 * 64, 3, weight_init="zeros", bias_init="zeros")

    def construct(self, x):
        return self.head(self.flat(self.r2(self.r1(self.stem(x)))))


y = rng.integers(0, 3, 300).astype(np.int32)
x = rng.normal(size=(300, 1, 8, 8)).astype(np.float32)
for i, c in enumerate(y):
    x[i, 0, 2 * c : 2 * c + 3] += 1.2
net = Net()
d = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(20)
ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3)).train(
    5, d, ms.train.LossMonitor(15), dataset_sink_mode=False
)
