"""A block that is recomputed in the backward pass."""

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
        return ops.tanh(self.dense(x)) / x  # here


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.block, self.head = Block(), nn.Dense(6, 1)
        self.block.recompute()

    def construct(self, x):
        return self.head(self.block(x))


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)
x = np.sign(x) * (0.5 + np.abs(x))
x[150, 2] = 0.0
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

net = Net()
Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01)).train(1, data, dataset_sink_mode=False)
