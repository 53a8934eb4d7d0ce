"""A cosine that takes six epochs, of one step each: the list has a rate for every step, at the end of it from the sixth on."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.standard_normal((640, 12)).astype(np.float32)
y = np.argmax(x[:, :4] * x[:, 4:8], axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
steps = data.get_dataset_size()

net = nn.SequentialCell(nn.Dense(12, 48), nn.ReLU(), nn.Dense(48, 4))
rate = nn.cosine_decay_lr(4e-6, 0.002, 6 * steps, 1, 6)
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), rate))
model.train(6, data, callbacks=[LossMonitor(20)])
