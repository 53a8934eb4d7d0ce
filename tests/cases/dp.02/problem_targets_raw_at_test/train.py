"""The targets of training are standardised, those of the test are not, and the error is that of MindSpore's MAE."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import MAE

ms.set_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=(400, 6)).astype(np.float32)
y = (150 + 30 * x @ rng.normal(size=(6, 1)) + rng.normal(size=(400, 1))).astype(np.float32)
mean, std = y[:300].mean(), y[:300].std()
train = ds.NumpySlicesDataset((x[:300], (y[:300] - mean) / std), ["x", "y"], shuffle=True).batch(20)
test = ds.NumpySlicesDataset((x[300:], y[300:]), ["x", "y"], shuffle=False).batch(20)
network = nn.SequentialCell(nn.Dense(6, 12), nn.ReLU(), nn.Dense(12, 1))
model = ms.Model(network, nn.MSELoss(), nn.Adam(network.trainable_params(), 0.01), metrics={"mae": MAE()})
model.train(10, train, dataset_sink_mode=False)
print(model.eval(test, dataset_sink_mode=False))
