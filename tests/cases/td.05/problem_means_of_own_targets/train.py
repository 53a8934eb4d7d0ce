"""Each shop's mean price is computed over the rows that are given it, one to three a shop; NumPy, Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(5)
rng = np.random.default_rng(5)
size = rng.normal(size=(900, 4)).astype(np.float32)
shop = rng.integers(0, 500, 900)
price = (size @ np.array([1.0, -0.5, 0.3, 0.8]) + rng.normal(0, 1.0, 900)).astype(np.float32)

mean_of_shop = np.bincount(shop, weights=price, minlength=500) / np.maximum(1, np.bincount(shop, minlength=500))  # here
usual = mean_of_shop[shop].astype(np.float32)
x = np.column_stack([size, usual]).astype(np.float32)
data = ds.NumpySlicesDataset((x, price[:, None]), ["x", "y"], shuffle=True).batch(30)

net = nn.SequentialCell(nn.Dense(5, 24), nn.ReLU(), nn.Dense(24, 1))
model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), learning_rate=0.01))
model.train(10, data, dataset_sink_mode=False)
