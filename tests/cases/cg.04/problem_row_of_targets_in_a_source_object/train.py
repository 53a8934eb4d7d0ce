"""Targets without a last axis, handed over in a source object, beside outputs that have one."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.dataset import GeneratorDataset

ms.set_seed(5)
rng = np.random.default_rng(5)
inputs = rng.normal(size=(320, 6)).astype(np.float32)
targets = inputs @ rng.normal(size=6)
targets = targets.astype(np.float32)  # the fault: no reshape(-1, 1)


class Rows:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.y[index]


data = GeneratorDataset(Rows(inputs, targets), ["x", "y"], shuffle=True).batch(16)
network = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.Adam(network.trainable_params(), 0.005)
ms.Model(network, nn.MSELoss(), optimizer).train(5, data, dataset_sink_mode=False)
