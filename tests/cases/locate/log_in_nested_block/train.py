"""The logarithm of a feature that is zero once, deep inside a SequentialCell; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(1)


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(6, 6)

    def construct(self, x):
        level = ops.log(ops.abs(x))  # here
        return self.dense(x) + level


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(Block(), nn.Dense(6, 4))
        self.head = nn.Dense(4, 1)

    def construct(self, x):
        return self.head(self.body(x))


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)
x[100, 3] = 0.0
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

net = Net()
Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01)).train(1, data, dataset_sink_mode=False)
