"""A binary classifier whose scores go through a ReLU before their sigmoid."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(480, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1)) > 0).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(8, 16, activation="relu")
        self.score = nn.Dense(16, 1, activation="relu")
        self.probability = nn.Sigmoid()

    def construct(self, x):
        return self.probability(self.score(self.hidden(x)))


net = Classifier()
model = Model(net, nn.BCELoss(reduction="mean"), nn.Adam(net.trainable_params(), 0.01))
model.train(10, data, callbacks=[LossMonitor(15)])
