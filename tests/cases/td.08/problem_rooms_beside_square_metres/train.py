"""Two targets in one MSE: the area runs over thousands, the number of rooms over a few."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(1)
rng = np.random.default_rng(1)
x = rng.normal(size=(800, 5)).astype(np.float32)
y = np.stack([400 * x[:, 0] + 50 * x[:, 1], 1 + x[:, 2]], axis=1).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40)  # here
net = nn.SequentialCell(nn.Dense(5, 32), nn.ReLU(), nn.Dense(32, 2))
Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.02)).train(5, data, dataset_sink_mode=False)
