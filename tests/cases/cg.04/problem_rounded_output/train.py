"""The output is rounded before the loss: no gradient."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = rng.integers(0, 6, (640, 1)).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(8, 16), nn.Dense(16, 1)

    def construct(self, x):
        return ops.round(self.out(ops.relu(self.hidden(x))))  # here


net, loss_fn = Net(), nn.MSELoss()

optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
