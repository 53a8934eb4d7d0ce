"""Classifies wines by their chemistry."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor
from sklearn.datasets import load_wine

ms.set_seed(1)

wine = load_wine()
x = ((wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0)).astype(np.float32)
y = wine.target.astype(np.int32)
order = np.random.default_rng(1).permutation(len(y))
x, y = x[order], y[order]


def make_dataset(features, labels, batch):
    data = ds.NumpySlicesDataset({"chemistry": features, "cultivar": labels}, shuffle=False)
    return data.batch(batch)


net = nn.SequentialCell(nn.Dense(13, 24), nn.ReLU(), nn.Dense(24, 3))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = ms.Model(net, loss, nn.Adam(net.trainable_params(), learning_rate=0.01))
model.train(4, make_dataset(x, y, 16), callbacks=LossMonitor(12), dataset_sink_mode=False)
