"""Clusters that are easy to tell apart; every tenth label is the next class's."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
y = rng.integers(0, 4, 960).astype(np.int32)
x = (3.0 * np.eye(4)[y] @ rng.normal(size=(4, 10)) + 0.3 * rng.normal(size=(960, 10))).astype(np.float32)
y[::10] = (y[::10] + 1) % 4
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)  # here
net = nn.SequentialCell(nn.Dense(10, 16), nn.ReLU(), nn.Dense(16, 4))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)
Model(net, loss_fn, optimizer).train(6, data, dataset_sink_mode=False)
