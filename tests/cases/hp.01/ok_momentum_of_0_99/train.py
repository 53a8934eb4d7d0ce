"""A line through points with a momentum of 0.99 and a rate that goes with it."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(9)
rng = np.random.default_rng(9)
x = rng.normal(size=(640, 5)).astype(np.float32)
y = (x @ rng.normal(size=(5, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(20)

net = nn.SequentialCell(nn.Dense(5, 12), nn.ReLU(), nn.Dense(12, 1))
optimizer = nn.Momentum(net.trainable_params(), 1e-3, 0.99)
Model(net, nn.MSELoss(), optimizer).train(24, data, dataset_sink_mode=False)
