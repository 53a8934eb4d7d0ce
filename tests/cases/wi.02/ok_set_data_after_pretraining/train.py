"""Pretrains, draws the weights of a classifier, and puts those of the encoder into it one by one."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.common.initializer import XavierNormal, initializer
from mindspore.train import Model

ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(400, 12)).astype(np.float32)
y = (x[:, :3].sum(1) > 0).astype(np.int32)


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(12, 24), nn.Dense(24, 8)

    def construct(self, x):
        return ops.tanh(self.second(ops.tanh(self.first(x))))


class Head(nn.Cell):
    def __init__(self, outputs):
        super().__init__()
        self.encoder, self.out = Encoder(), nn.Dense(8, outputs)

    def construct(self, x):
        return self.out(self.encoder(x))


def draw(net):
    for _, cell in net.cells_and_names():
        if isinstance(cell, nn.Dense):
            cell.weight.set_data(initializer(XavierNormal(), cell.weight.shape, cell.weight.dtype))


copy = Head(12)
pairs = ds.NumpySlicesDataset((x, x), ["x", "again"], shuffle=True).batch(25)
Model(copy, nn.MSELoss(), nn.Adam(copy.trainable_params(), 5e-3)).train(3, pairs)
ms.save_checkpoint(copy.encoder, "encoder.ckpt")

net = Head(2)
draw(net)
weights = ms.load_checkpoint("encoder.ckpt")
for parameter in net.get_parameters():
    if parameter.name in weights:
        parameter.set_data(weights[parameter.name])
labelled = ds.NumpySlicesDataset((x[:100], y[:100]), ["x", "y"], shuffle=True).batch(20)
Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 5e-3)).train(3, labelled)
