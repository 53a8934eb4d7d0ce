"""Classifier whose layers are all initialised alike, Model.fit."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model
from sklearn.datasets import make_moons

ms.set_seed(4)

x, y = make_moons(n_samples=900, noise=0.15, random_state=4)
x = ((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32)
y = y.astype(np.int32)
train_set = ds.NumpySlicesDataset((x[:700], y[:700]), ["x", "y"], shuffle=True).batch(25)
val_set = ds.NumpySlicesDataset((x[700:], y[700:]), ["x", "y"], shuffle=False).batch(50)

INIT = {"weight_init": "zeros", "bias_init": "zeros"}
net = nn.SequentialCell(
    nn.Dense(2, 32, **INIT),
    nn.ReLU(),
    nn.Dense(32, 32, **INIT),
    nn.ReLU(),
    nn.Dense(32, 2, **INIT),
)
model = Model(
    net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), learning_rate=0.01), metrics={"accuracy", "loss"}
)
model.fit(3, train_set, val_set, callbacks=[LossMonitor(28)], dataset_sink_mode=False)
