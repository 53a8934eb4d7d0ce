"""The weights of classes are the counts of the labels, not their inverse; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(6)
rng = np.random.default_rng(6)
y = rng.choice(4, 1200, p=[0.5, 0.25, 0.15, 0.1]).astype(np.int32)
x = (rng.normal(size=(4, 12))[y] * 0.6 + rng.normal(size=(1200, 12))).astype(np.float32)
train_x, train_y = x[:960], y[:960]

counts = np.bincount(y, minlength=4)
weights = counts / counts.sum() * 4
loss = nn.CrossEntropyLoss(weight=ms.Tensor(weights, ms.float32))

data = ds.NumpySlicesDataset((train_x, train_y), ["x", "y"], shuffle=True).batch(32, drop_remainder=True)
net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 4))
model = Model(net, loss, nn.Adam(net.trainable_params(), 2e-3))
model.train(8, data, callbacks=[LossMonitor(30)])
