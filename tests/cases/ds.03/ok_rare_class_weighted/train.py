"""Defects of parts, one in thirty, with a loss that weights the classes by their counts."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(8)
rng = np.random.default_rng(8)
parts = rng.normal(0, 1, (1500, 6)).astype(np.float32)
defect = np.zeros(1500, np.int32)
defect[:50] = 1
parts[:50, :3] += 1.5
counts = np.bincount(defect)
shares = ms.Tensor(len(defect) / (2 * counts), ms.float32)

data = ds.NumpySlicesDataset((parts, defect), ["part", "defect"], shuffle=True).batch(50)
network = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 2))
loss = nn.CrossEntropyLoss(weight=shares)
model = Model(network, loss, nn.Adam(network.trainable_params(), learning_rate=0.005))
model.train(4, data, callbacks=[LossMonitor(30)], dataset_sink_mode=False)
