"""A dropout written with NumPy in construct: in graph mode its mask is drawn once, when it is compiled; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(320, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(8, 32, activation="relu")
        self.head = nn.Dense(32, 1)

    def construct(self, x):
        keep = ms.Tensor((np.random.rand(1, 32) > 0.5).astype(np.float32))
        return self.head(self.hidden(x) * keep * 2.0)


net = Net()
model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), learning_rate=1e-2))
model.train(2, data, dataset_sink_mode=False)
