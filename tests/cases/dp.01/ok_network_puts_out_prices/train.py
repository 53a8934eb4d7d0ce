"""The network brings its output to the scale of the prices itself, and learns them."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(44)
rng = np.random.default_rng(44)
x = rng.normal(size=(800, 5)).astype(np.float32)
price = (250000 + 60000 * (x @ rng.normal(size=(5, 1)))).astype(np.float32)
data = ds.NumpySlicesDataset((x, price), ["features", "price"], shuffle=True).batch(20)


class Prices(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(5, 16), nn.Tanh(), nn.Dense(16, 1))

    def construct(self, x):
        return 250000.0 + 100000.0 * self.body(x)


net = Prices()
Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 2e-2)).train(4, data, dataset_sink_mode=False)
