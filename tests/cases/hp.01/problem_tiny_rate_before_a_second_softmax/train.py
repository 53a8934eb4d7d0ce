"""A softmax too many makes gradients ten times smaller at the most, and the rate is a thousand times too small."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.dataset import NumpySlicesDataset

ms.set_seed(1)
rng = np.random.default_rng(1)
labels = rng.integers(0, 10, 640).astype(np.int32)
points = (rng.normal(size=(10, 32))[labels] + 0.4 * rng.normal(size=(640, 32))).astype(np.float32)
data = NumpySlicesDataset((points, labels), ["point", "label"], shuffle=True).batch(16)
network = nn.SequentialCell(nn.Dense(32, 24), nn.ReLU(), nn.Dense(24, 10), nn.Softmax())
optimizer = nn.SGD(network.trainable_params(), learning_rate=0.0005)  # made here
model = ms.Model(network, nn.CrossEntropyLoss(), optimizer)
model.train(8, data, dataset_sink_mode=False)
