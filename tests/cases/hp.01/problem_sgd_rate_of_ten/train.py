"""A rate of 20 with plain SGD in Model.train: the loss leaps and never comes down."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)

ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1)) + 0.3 * np.sin(3 * x[:, :1])).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dense(32, 1))
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=20.0)  # here

Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
