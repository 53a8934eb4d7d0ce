"""Targets of 1 and 2 for a binary cross-entropy, which trains on without a word; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(91)
rng = np.random.default_rng(91)
x = rng.normal(size=(300, 6)).astype(np.float32)
y = (1 + (x[:, :1] > 0)).astype(np.float32)
train_set = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(30)
net = nn.SequentialCell(nn.Dense(6, 8), nn.ReLU(), nn.Dense(8, 1))
model = Model(net, nn.BCEWithLogitsLoss(), nn.Adam(net.trainable_params(), 1e-3))
model.train(2, train_set, dataset_sink_mode=False)
