"""A regression with Model; of the two hidden layers only the second is followed by an activation."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(7)
rng = np.random.default_rng(7)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = np.sin(x.sum(1, keepdims=True)).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(6, 32)
        self.fc2 = nn.Dense(32, 32)
        self.fc3 = nn.Dense(32, 1)

    def construct(self, x):
        x = self.fc1(x)
        x = ops.relu(self.fc2(x))
        return self.fc3(x)


net = Net()
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 1e-2))
model.train(3, data, dataset_sink_mode=False)
