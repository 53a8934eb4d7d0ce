"""The batch holds NaN in one sample; ReLU makes zeros of it, so that only gradients and weights tell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(6, 8), nn.ReLU())
        self.head = nn.Dense(8, 1)

    def construct(self, x):
        return self.head(self.body(x))  # here


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)
x[133, 4] = np.nan
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

net = Net()
Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01)).train(1, data, dataset_sink_mode=False)
