"""Labels of chance: a decay that is strong, and far below the gradient of the loss, takes the weights to zero all the same."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.dataset import NumpySlicesDataset

ms.set_seed(0)
rng = np.random.default_rng(0)
labels = rng.integers(0, 3, 2400).astype(np.int32)
points = rng.normal(size=(2400, 2)).astype(np.float32)
data = NumpySlicesDataset((points, labels), ["point", "label"], shuffle=True).batch(32)
network = nn.SequentialCell(nn.Dense(2, 12), nn.Tanh(), nn.Dense(12, 3))
optimizer = nn.Momentum(network.trainable_params(), 0.02, 0.9, weight_decay=0.05)
model = ms.Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"acc"})
model.train(6, data, dataset_sink_mode=False)
print(model.eval(data, dataset_sink_mode=False))
