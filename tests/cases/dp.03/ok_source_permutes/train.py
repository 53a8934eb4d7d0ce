"""Classifies wines; the source draws a new order for each epoch by itself."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor
from sklearn.datasets import load_wine

ms.set_seed(1)


class Wines:
    """Hands out the samples in an order of its own, drawn anew at the start of each pass."""

    def __init__(self, seed=1):
        wine = load_wine()
        self.x = ((wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0)).astype(np.float32)
        self.y = wine.target.astype(np.int32)
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        for index in self.rng.permutation(len(self.y)):
            yield self.x[index], self.y[index]

    def __len__(self):
        return len(self.y)


wines = Wines()
train_set = ds.GeneratorDataset(wines, ["chemistry", "cultivar"], shuffle=False).batch(16)

net = nn.SequentialCell(nn.Dense(13, 24), nn.ReLU(), nn.Dense(24, 3))
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), learning_rate=0.01))
model.train(4, train_set, callbacks=[LossMonitor(12)], dataset_sink_mode=False)
