"""Towers of layers in a CellDict, which registers them; TrainOneStepCell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(31)
rng = np.random.default_rng(31)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = np.sin(x[:, :1]) + x[:, 1:2] ** 2


class Towers(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.towers = nn.CellDict({f"deep{n}": nn.Dense(6 if n == 0 else width, width) for n in range(3)})
        self.head = nn.Dense(width, 1)

    def construct(self, features):
        for layer in self.towers.values():
            features = ops.relu(layer(features))
        return self.head(features)


net = Towers(16)
data = ds.NumpySlicesDataset((x, y.astype(np.float32)), ["x", "y"], shuffle=True).batch(32)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.01))
step.set_train()
for _ in range(3):
    for features, target in data.create_tuple_iterator():
        loss = step(features, target)
    print(float(loss))
