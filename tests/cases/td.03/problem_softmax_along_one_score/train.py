"""Readings of sensors weighed by a score each; the softmax goes along the score, not along the sensors."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(98)
rng = np.random.default_rng(98)
reading = rng.normal(size=(900, 12, 4)).astype(np.float32)
trusted = rng.integers(0, 12, 900)
reading[np.arange(900), :, 3] = 0
reading[np.arange(900), trusted, 3] = 3
state = (reading[np.arange(900), trusted, 0] > 0).astype(np.int32)


class Fusion(nn.Cell):
    def __init__(self):
        super().__init__()
        self.value = nn.Dense(4, 16)
        self.score = nn.Dense(4, 1)
        self.share = nn.Softmax(axis=-1)
        self.out = nn.Dense(16, 2)

    def construct(self, reading):
        weight = self.share(self.score(reading))
        return self.out((weight * self.value(reading)).sum(axis=1))


data = ds.NumpySlicesDataset((reading, state), ["reading", "state"], shuffle=True).batch(45)
net = Fusion()
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.005))
model.train(12, data, dataset_sink_mode=False)
