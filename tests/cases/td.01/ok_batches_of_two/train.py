"""Batches of two samples: the loss of a step says little, the course says that it learns."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(6)
rng = np.random.default_rng(6)
x = rng.normal(size=(400, 6)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(6, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(2)
net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 4))
Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.005)).train(2, data, dataset_sink_mode=False)
