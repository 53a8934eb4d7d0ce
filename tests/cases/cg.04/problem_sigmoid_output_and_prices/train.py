"""Prices of 10 to 50 and a sigmoid as the output's activation; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = (30 + 8 * x[:, :1] + rng.normal(size=(640, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(
    nn.Dense(8, 16, activation="relu"),
    nn.Dense(16, 1, activation="sigmoid"),  # here
)
loss_fn = nn.MSELoss()

optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
