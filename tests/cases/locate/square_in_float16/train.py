"""A square exceeds 65504 in float16 under a dynamic loss scale."""

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
        self.head = nn.Dense(6, 1)

    def construct(self, x):
        half = x.astype(ms.float16)
        energy = half * half  # here
        return self.head(energy.astype(ms.float32))


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)
x[64, 0] = 300.0
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

net = Net()
manager = ms.DynamicLossScaleManager(init_loss_scale=16, scale_window=1000)
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 1e-4), loss_scale_manager=manager)
model.train(1, data, dataset_sink_mode=False)
