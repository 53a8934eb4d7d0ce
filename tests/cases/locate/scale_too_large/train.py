"""Only the loss scale makes the gradients overflow."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = nn.Dense(6, 32).to_float(ms.float16)
        self.head = nn.Dense(32, 1)

    def construct(self, x):
        h = self.inner(x)  # here
        return self.head(h.astype(ms.float32))


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)

data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

net = Net()
manager = ms.FixedLossScaleManager(2.0**24, drop_overflow_update=True)
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 1e-3), loss_scale_manager=manager)
model.train(1, data, dataset_sink_mode=False)
