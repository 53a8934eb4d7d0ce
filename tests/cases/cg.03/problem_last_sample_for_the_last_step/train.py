"""A GRU with time first is given samples first, and the last sample is taken for the last step; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(14)
rng = np.random.default_rng(14)
waves = np.sin(rng.uniform(0, 6, (240, 1)) + np.arange(11) / 2).astype(np.float32)


class Forecast(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.memory = nn.GRU(1, width)
        self.head = nn.Dense(width, 1)

    def construct(self, series):
        states, _ = self.memory(series)
        return self.head(states[:, -1, :])


data = ds.NumpySlicesDataset((waves[:, :10, None], waves[:, 10:]), ["series", "next"], shuffle=True).batch(24)
net = Forecast(8)
model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.01))
model.train(3, data, dataset_sink_mode=False)
