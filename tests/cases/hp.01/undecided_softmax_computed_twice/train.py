"""A softmax before a loss that computes one: the gradients are small at a rate that suits without it."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.dataset import NumpySlicesDataset

ms.set_seed(1)
rng = np.random.default_rng(1)
labels = rng.integers(0, 10, 640).astype(np.int32)
points = (0.3 * rng.normal(size=(10, 32))[labels] + 0.2 * rng.normal(size=(640, 32))).astype(np.float32)
data = NumpySlicesDataset((points, labels), ["point", "label"], shuffle=True).batch(32)
network = nn.SequentialCell(nn.Dense(32, 24), nn.ReLU(), nn.Dense(24, 10), nn.Softmax())
optimizer = nn.SGD(network.trainable_params(), learning_rate=0.1)
model = ms.Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"acc"})
model.train(10, data, dataset_sink_mode=False)
print(model.eval(data, dataset_sink_mode=False))
