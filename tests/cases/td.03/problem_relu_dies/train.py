"""A learning rate of 5 kills the second ReLU in the first steps; Model.train in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
y = np.tile(np.arange(4), 160).astype(np.int32)
x = (rng.normal(size=(640, 10)) + 2 * rng.normal(size=(4, 10))[y]).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(10, 32)
        self.second = nn.Dense(32, 16, activation="relu")
        self.head = nn.Dense(16, 4)

    def construct(self, x):
        x = ops.relu(self.first(x))
        return self.head(self.second(x))


net = Net()
model = Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), learning_rate=5.0))
model.train(3, data, dataset_sink_mode=False)
