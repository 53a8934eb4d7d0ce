"""Sound pressures of a hundredth of what is usual, as they are: nothing normalises what the first layer makes of them."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(5)
np.random.seed(5)
LENGTH, COUNT = 96, 480
time = np.linspace(0, 1, LENGTH)
kind = np.random.randint(0, 3, COUNT).astype(np.int32)
pitch, phase = np.random.uniform(6, 9, (COUNT, 1)), np.random.uniform(0, 6.28, (COUNT, 1))
hum = np.sin(6.28 * pitch * time * (1 + kind[:, None]) + phase) + 0.2 * np.random.randn(COUNT, LENGTH)
pressure = (0.008 * hum).astype(np.float32)[:, None]


class Listener(nn.Cell):
    def __init__(self):
        super().__init__()
        self.ear = nn.SequentialCell(
            nn.Conv1d(1, 12, 9, stride=2, has_bias=True),
            nn.ReLU(),
            nn.Conv1d(12, 24, 9, stride=2, has_bias=True),
            nn.ReLU(),
        )
        self.head = nn.Dense(24, 3)

    def construct(self, sound):
        return self.head(self.ear(sound).mean(axis=2))


net = Listener()
data = ds.NumpySlicesDataset({"pressure": pressure, "kind": kind}, shuffle=True).batch(32)
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 2e-3))
model.train(6, data, dataset_sink_mode=False)
