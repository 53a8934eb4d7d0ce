"""Two spirals and three hidden units: the loss ends a tenth below a constant's, though neighbours tell every class."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(12)
rng = np.random.default_rng(12)
count = 900
label = rng.integers(0, 2, count)
turn = np.sqrt(rng.random(count)) * 3 * np.pi + 0.5
angle = turn + np.pi * label
x = np.stack([turn * np.cos(angle), turn * np.sin(angle)], axis=1) / 6 + 0.02 * rng.normal(size=(count, 2))
data = ds.NumpySlicesDataset(
    (x.astype(np.float32), label.astype(np.float32)[:, None]), ["point", "spiral"], shuffle=True
).batch(30)


class Net(nn.Cell):
    def __init__(self, units=3):
        super().__init__()
        self.hidden = nn.Dense(2, units)
        self.act = nn.Tanh()
        self.out = nn.Dense(units, 1)

    def construct(self, point):
        return self.out(self.act(self.hidden(point)))


net = Net()
model = Model(net, nn.BCEWithLogitsLoss(), nn.Adam(net.trainable_params(), 0.02))
model.train(30, data, dataset_sink_mode=False)
