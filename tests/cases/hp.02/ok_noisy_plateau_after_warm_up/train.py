"""A rate that warms up over the first tenth; the validation loss settles and flutters about its level."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import MAE, Loss, Model

ms.set_seed(55)
rng = np.random.default_rng(55)
x = rng.normal(size=(1000, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2] + 0.5 * rng.normal(size=(1000, 1))).astype(np.float32)
train_set = ds.NumpySlicesDataset((x[:800], y[:800]), ["x", "y"], shuffle=True).batch(40)
valid_set = ds.NumpySlicesDataset((x[800:], y[800:]), ["x", "y"], shuffle=False).batch(50)
steps = 30 * 20
rates = [0.02 * min(1.0, (step + 1) / 60) for step in range(steps)]
net = nn.SequentialCell(nn.Dense(6, 8), nn.Tanh(), nn.Dense(8, 1))
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), rates), metrics={"loss": Loss(), "mae": MAE()})
model.fit(30, train_set, valid_set, dataset_sink_mode=False, valid_dataset_sink_mode=False)
