"""Three kinds of clouds in eight dimensions that overlap; a fixed gain sharpens the scores; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(29)
rng = np.random.default_rng(29)
middle = np.concatenate([1.35 * np.eye(3), np.zeros((3, 5))], axis=1)
kind = rng.integers(0, 3, 900).astype(np.int32)
cloud = (middle[kind] + rng.normal(size=(900, 8))).astype(np.float32)


class Sharp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(8, 24), nn.Tanh(), nn.Dense(24, 3))

    def construct(self, x):
        return self.body(x) * 5.0


train_set = ds.NumpySlicesDataset((cloud, kind), ["cloud", "kind"], shuffle=True).batch(30)
net = Sharp()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
ms.Model(net, loss, nn.Momentum(net.trainable_params(), 0.05, 0.9)).train(4, train_set)
