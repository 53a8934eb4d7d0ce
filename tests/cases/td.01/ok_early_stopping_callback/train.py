"""EarlyStopping of MindSpore's own ends Model.fit when the validation loss no longer falls."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import EarlyStopping, LossMonitor, Model

ms.set_seed(68)
rng = np.random.default_rng(68)
x = rng.normal(size=(700, 8)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2] + 0.8 * rng.normal(size=(700, 1))).astype(np.float32)
train = ds.NumpySlicesDataset((x[:500], y[:500]), ["x", "y"], shuffle=True).batch(25)
valid = ds.NumpySlicesDataset((x[500:], y[500:]), ["x", "y"], shuffle=False).batch(50)
net = nn.SequentialCell(nn.Dense(8, 64), nn.ReLU(), nn.Dense(64, 1))
model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.01), metrics={"mse"})
stop = EarlyStopping(monitor="mse", mode="min", patience=2)
model.fit(30, train, valid, callbacks=[LossMonitor(20), stop], dataset_sink_mode=False)
