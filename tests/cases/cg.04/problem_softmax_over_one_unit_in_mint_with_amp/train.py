"""mint operators under mixed precision: a softmax over the only unit, before the squared error; Model.train with amp_level."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import mint, nn
from mindspore.train import Model

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = (0.5 + 0.1 * x[:, :1]).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(8, 16), nn.Dense(16, 1)

    def construct(self, x):
        x = mint.nn.functional.relu(self.hidden(x))
        return mint.nn.functional.softmax(self.out(x), dim=-1)  # here


net = Net()
optimizer = nn.SGD(net.trainable_params(), learning_rate=1e-2)
Model(net, nn.MSELoss(), optimizer, amp_level="O2").train(2, data, dataset_sink_mode=False)
