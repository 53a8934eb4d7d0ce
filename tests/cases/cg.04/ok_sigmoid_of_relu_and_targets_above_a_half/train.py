"""Shares between one half and one, which a sigmoid behind a ReLU can give."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import LossMonitor, Model

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(480, 8)).astype(np.float32)
y = (0.55 + 0.4 / (1 + np.exp(-x @ rng.normal(size=(8, 1))))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Shares(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(8, 16, activation="relu")
        self.score = nn.Dense(16, 1)

    def construct(self, x):
        return ops.sigmoid(ops.relu(self.score(self.hidden(x))))


net = Shares()
model = Model(net, nn.BCELoss(reduction="mean"), nn.Adam(net.trainable_params(), 0.01))
model.train(10, data, callbacks=[LossMonitor(15)])
