"""tanh before a cross entropy of logits, from mint; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import mint, nn
from mindspore.train import Model

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = rng.integers(0, 4, 640).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(8, 16), nn.Dense(16, 4)

    def construct(self, x):
        x = mint.nn.functional.relu(self.hidden(x))
        return mint.tanh(self.out(x))  # here


net, loss_fn = Net(), nn.CrossEntropyLoss()

optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
