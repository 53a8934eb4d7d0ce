"""Two networks of random weights learn the classes and each other's answers together (mutual learning)."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(44)
rng = np.random.default_rng(44)
kind = rng.integers(0, 4, 800).astype(np.int32)
rows = (rng.normal(size=(800, 10)) + 1.6 * np.eye(4, 10)[kind]).astype(np.float32)
data = ds.NumpySlicesDataset((rows, kind), ["row", "kind"], shuffle=True).batch(40)


class Mutual(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU(), nn.Dense(32, 4))
        self.two = nn.SequentialCell(nn.Dense(10, 16), nn.Tanh(), nn.Dense(16, 4))
        self.loss = nn.CrossEntropyLoss()

    def construct(self, row, kind):
        one, two = self.one(row), self.two(row)
        apart = (ops.softmax(one, -1) * (ops.log_softmax(one, -1) - ops.log_softmax(two, -1))).sum(-1).mean()
        return self.loss(one, kind) + self.loss(two, kind) + apart


mutual = Mutual()
step = nn.TrainOneStepCell(mutual, nn.Adam(mutual.trainable_params(), 0.005))
step.set_train()
for epoch in range(12):
    for row, label in data.create_tuple_iterator():
        loss = step(row, label)
print(float(loss))
