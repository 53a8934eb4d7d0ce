"""Weights of every layer are drawn with a standard deviation of 1: tanh is at its ends in most places; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal
from mindspore.train import LossMonitor, Model

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(7)
rng = np.random.default_rng(7)
x = rng.normal(size=(800, 40)).astype(np.float32)
y = np.argmax(x[:, :5] + x[:, 5:10], axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40)


def hidden(inputs, outputs):
    return [nn.Dense(inputs, outputs, weight_init=Normal(1.0)), nn.Tanh()]  # here


net = nn.SequentialCell(*hidden(40, 72), *(cell for _ in range(6) for cell in hidden(72, 72)), nn.Dense(72, 5))
model = Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.05, momentum=0.9))
model.train(8, data, callbacks=[LossMonitor(40)])
