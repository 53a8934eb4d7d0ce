"""One label is beyond the classes: the run ends with an error."""

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
        self.head = nn.Dense(6, 3)

    def construct(self, x):
        return self.head(x)


loss_fn = nn.CrossEntropyLoss()


class WithLoss(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network, self.criterion = network, loss_fn

    def construct(self, x, y):
        return self.criterion(self.network(x), y)  # here


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)
y = rng.integers(0, 3, 320).astype(np.int32)
y[100] = 7
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

net = Net()
model = Model(WithLoss(net), optimizer=nn.SGD(net.trainable_params(), 0.01))
model.train(1, data, dataset_sink_mode=False)
