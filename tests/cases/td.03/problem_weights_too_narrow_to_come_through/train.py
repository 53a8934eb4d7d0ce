"""Eight layers whose weights are drawn with a standard deviation of 0.005: nothing of the input comes through; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal
from mindspore.train import LossMonitor, Model
from sklearn.datasets import load_digits

ms.set_seed(8)
digits = load_digits()
x = ((digits.data - 4.9) / 6).astype(np.float32)
y = digits.target.astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(64)


def block(inputs, outputs):
    return nn.SequentialCell(nn.Dense(inputs, outputs, weight_init=Normal(0.005), bias_init="zeros"), nn.ReLU())


net = nn.SequentialCell(
    block(64, 96), *[block(96, 96) for _ in range(7)], nn.Dense(96, 10, weight_init=Normal(0.005), bias_init="zeros")
)
model = Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.05, 0.9))
model.train(8, data, callbacks=[LossMonitor(28)])
