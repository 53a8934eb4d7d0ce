"""Trains and saves; nothing is evaluated here."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(39)
rng = np.random.default_rng(39)
x = rng.normal(size=(200, 4)).astype(np.float32)
y = (x.sum(axis=1) > 0).astype(np.int32)
net = nn.Dense(4, 2)
model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1))
model.train(2, ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(20), dataset_sink_mode=False)
