"""The eight directions of a moving dot, by a small network trained for twenty-four steps."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model

ms.set_seed(3)
rng = np.random.default_rng(3)


def tracks(count):
    kind = rng.integers(0, 8, count)
    angle = kind * np.pi / 4
    step = np.stack((np.cos(angle), np.sin(angle)), axis=1)[:, None, :]
    walk = np.cumsum(0.4 * step + rng.normal(scale=0.5, size=(count, 12, 2)), axis=1)
    return walk.astype(np.float32) / 4, kind.astype(np.int32)


class Direction(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Flatten(), nn.Dense(24, 32), nn.Tanh(), nn.Dense(32, 32), nn.Tanh())
        self.out = nn.Dense(32, 8)

    def construct(self, track):
        return self.out(self.body(track))


x, y = tracks(768)
x_held, y_held = tracks(256)
train = ds.NumpySlicesDataset({"track": x, "kind": y}, shuffle=True).batch(32)
held = ds.NumpySlicesDataset({"track": x_held, "kind": y_held}, shuffle=False).batch(64)

network = Direction()
optimizer = nn.Momentum(network.trainable_params(), learning_rate=0.004, momentum=0.9)
model = Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy": Accuracy()})
model.train(1, train, callbacks=[LossMonitor(8)], dataset_sink_mode=False)
print(model.eval(held, dataset_sink_mode=False))
