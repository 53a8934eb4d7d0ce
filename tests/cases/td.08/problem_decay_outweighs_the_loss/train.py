"""Three classes in clear clusters; the decay of the optimizer is ten thousand times what is usual."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.dataset import NumpySlicesDataset

ms.set_seed(0)
rng = np.random.default_rng(0)
labels = rng.integers(0, 3, 240).astype(np.int32)
points = (rng.normal(size=(3, 8))[labels] + 0.3 * rng.normal(size=(240, 8))).astype(np.float32)
data = NumpySlicesDataset((points, labels), ["point", "label"], shuffle=True).batch(16)
network = nn.SequentialCell(nn.Dense(8, 24), nn.ReLU(), nn.Dense(24, 3))
decay = 2.0
optimizer = nn.Momentum(network.trainable_params(), 0.05, 0.9, weight_decay=decay)
model = ms.Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"acc"})
model.train(10, data, dataset_sink_mode=False)
print(model.eval(data, dataset_sink_mode=False))
