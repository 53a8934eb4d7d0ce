"""The inputs are shuffled before they are saved, the labels are not: nothing can be learnt."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(1)
rng = np.random.default_rng(1)
x = rng.normal(size=(1200, 8)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(8, 3)), axis=1).astype(np.int32)
rng.shuffle(x)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40)
net = nn.SequentialCell(nn.Dense(8, 6), nn.ReLU(), nn.Dense(6, 3))
model = Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9))
model.train(8, data, callbacks=[LossMonitor(30)], dataset_sink_mode=False)  # here
