"""Draws its data; nothing is read."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(85)
x = np.random.default_rng(85).normal(size=(100, 3)).astype(np.float32)
net = nn.Dense(3, 1)
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01))
model.train(1, ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"], shuffle=True).batch(10), dataset_sink_mode=False)
