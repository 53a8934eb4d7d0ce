"""The ten digits learnt as one number each, with a squared error."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model
from sklearn.datasets import load_digits

ms.set_seed(3)
digits = load_digits()
x = (digits.data / 16.0 - 0.3).astype(np.float32)
y = digits.target.astype(np.float32)[:, None]
train = ds.NumpySlicesDataset((x[:1400], y[:1400]), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 0.002)
model = Model(net, loss_fn, optimizer)
model.train(6, train, callbacks=[LossMonitor(43)], dataset_sink_mode=False)

said = np.rint(net(ms.Tensor(x[1400:])).asnumpy()[:, 0])
print("accuracy", (said == digits.target[1400:]).mean())
