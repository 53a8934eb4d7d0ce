"""A line is fitted to two measurements of the same quantity; the second one goes into the loss, and nowhere else."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(3)
rng = np.random.default_rng(3)


def measurements(number):
    for _ in range(number):
        x = rng.uniform(-2, 2)
        price = 10 * x + 6
        yield tuple(np.array([v], np.float32) for v in (x, price + rng.normal(), price - 1 + rng.normal()))


class TwoLabelLoss(nn.LossBase):
    def construct(self, base, first, second):
        return (self.get_loss(ops.abs(base - first)) + self.get_loss(ops.abs(base - second))) / 2


class WithTwoLabels(nn.Cell):
    def __init__(self, backbone, loss):
        super().__init__(auto_prefix=False)
        self.backbone, self.loss = backbone, loss

    def construct(self, data, first, second):
        return self.loss(self.backbone(data), first, second)


data = ds.GeneratorDataset(list(measurements(320)), ["data", "first", "second"]).batch(16)
net = nn.Dense(1, 1)
model = ms.train.Model(
    WithTwoLabels(net, TwoLabelLoss()), optimizer=nn.Momentum(net.trainable_params(), learning_rate=0.5, momentum=0.9)
)
model.train(8, data)
