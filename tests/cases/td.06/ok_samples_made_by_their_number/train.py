"""Samples that are made when they are asked for, each by a generator of its number; nothing is augmented."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model

ms.set_seed(12)


class Waves:
    """Noisy waves of three frequencies, as many as are asked for."""

    def __init__(self, count, begin):
        self.count, self.begin = count, begin

    def __len__(self):
        return self.count

    def __getitem__(self, number):
        draw = np.random.default_rng(self.begin + int(number))
        label = int(draw.integers(3))
        times = np.arange(32) * (0.25 + 0.25 * label) + draw.uniform(0, 6.28)
        return (np.sin(times) + draw.normal(0, 0.3, 32)).astype(np.float32), np.int32(label)


train = ds.GeneratorDataset(Waves(480, 0), ["wave", "label"], shuffle=True).batch(24)
test = ds.GeneratorDataset(Waves(240, 10**6), ["wave", "label"], shuffle=False).batch(48)
net = nn.SequentialCell(nn.Dense(32, 48), nn.ReLU(), nn.Dense(48, 3))
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 3e-3), metrics={"acc": Accuracy()})
for _ in range(4):
    model.train(3, train, callbacks=LossMonitor(40), dataset_sink_mode=False)
    print(model.eval(test, dataset_sink_mode=False))
