"""Visits per week of a shop: zeros where nobody came, more often towards the end of the season; nothing is padded."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(51)
rng = np.random.default_rng(51)
season = rng.uniform(3, 12, (300, 1))
visits = rng.poisson(np.where(np.arange(12) < season, 1.6, 0.0)).astype(np.int32)
income = (visits.sum(axis=1, keepdims=True) / 12).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.out = nn.Dense(12, 1)

    def construct(self, visits):
        return self.out(visits.astype(ms.float32))


data = ds.NumpySlicesDataset((visits, income), ["visits", "income"], shuffle=True).batch(20)
net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.01)).train(2, data)
