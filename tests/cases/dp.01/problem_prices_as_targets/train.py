"""House prices in full, beside standardised features: the outputs never come near."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(41)
rng = np.random.default_rng(41)
x = rng.normal(size=(800, 6)).astype(np.float32)
price = (250000 + 60000 * (x @ rng.normal(size=(6, 1)))).astype(np.float32)
data = ds.NumpySlicesDataset((x, price), ["features", "price"], shuffle=True).batch(40)  # here

net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 1))
Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 1e-3)).train(3, data, dataset_sink_mode=False)
