"""Six classes along one line: the single number in the middle of the network is all that they need."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.dataset import NumpySlicesDataset

ms.set_seed(8)
rng = np.random.default_rng(8)
labels = rng.integers(0, 6, 720).astype(np.int32)
centres = 1.5 * np.arange(6)[:, None] * np.ones((6, 16))
points = (centres[labels] + 0.1 * rng.normal(size=(720, 16))).astype(np.float32)
points = (points - points.mean(0)) / points.std(0)
data = NumpySlicesDataset((points, labels), ["point", "label"], shuffle=True).batch(24)
network = nn.SequentialCell(
    nn.Dense(16, 24),
    nn.Tanh(),
    nn.Dense(24, 1),
    nn.Tanh(),
    nn.Dense(1, 24),
    nn.Tanh(),
    nn.Dense(24, 6),
)
model = ms.Model(network, nn.CrossEntropyLoss(), nn.Adam(network.trainable_params(), 0.01), metrics={"acc"})
model.train(40, data, dataset_sink_mode=False)
print(model.eval(data, dataset_sink_mode=False))
