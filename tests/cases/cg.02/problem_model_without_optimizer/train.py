import numpy as np
from mindspore import nn
from mindspore.dataset import NumpySlicesDataset
from mindspore.train import LossMonitor, Model

rng = np.random.default_rng(0)
x = rng.standard_normal((320, 4)).astype(np.float32)
y = (x[:, 0] > 0).astype(np.int32)
ds = NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(32)
net = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 2))
model = Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), metrics={"acc"})
model.train(10, ds, callbacks=[LossMonitor()], dataset_sink_mode=False)
print(model.eval(ds, dataset_sink_mode=False))
