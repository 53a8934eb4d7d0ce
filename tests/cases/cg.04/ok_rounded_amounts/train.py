"""A position along a curve, rounded to whole numbers: a regression, and neighbours have neighbouring numbers."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(3)
rng = np.random.default_rng(4)
amounts = rng.integers(0, 8, 1200)
angles = amounts / 8 * 4.5
x = np.stack([np.cos(angles), np.sin(angles), rng.normal(size=1200) * 0.1], 1)
x = (x + 0.05 * rng.normal(size=x.shape)).astype(np.float32)
y = amounts.astype(np.float32)[:, None]
train = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(3, 32), nn.ReLU(), nn.Dense(32, 1))
model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.005))
model.train(8, train, callbacks=[LossMonitor(38)], dataset_sink_mode=False)
print("error", float(np.abs(net(ms.Tensor(x)).asnumpy() - y).mean()))
