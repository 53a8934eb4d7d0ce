"""A small set: 200 samples, 16 a batch."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor
from sklearn.datasets import make_regression

ms.set_seed(47)
x, y = make_regression(n_samples=200, n_features=5, noise=2.0, random_state=47)
y = (y / y.std()).astype(np.float32).reshape(-1, 1)
train_set = ds.NumpySlicesDataset((x.astype(np.float32), y), ["x", "y"], shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(5, 16), nn.Tanh(), nn.Dense(16, 1))
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), learning_rate=0.01))
model.train(3, train_set, callbacks=LossMonitor(13), dataset_sink_mode=False)
