"""Ten tanh layers with residual connections: every layer gets its gradient."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
x = rng.normal(size=(800, 16)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(16, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.CellList([nn.Dense(16, 16) for _ in range(10)])
        self.act = nn.Tanh()
        self.out = nn.Dense(16, 4)

    def construct(self, x):
        for block in self.blocks:
            x = x + self.act(block(x))
        return self.out(x)


net = Net()
Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.002)).train(4, data, dataset_sink_mode=False)
