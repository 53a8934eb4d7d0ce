"""Fine-tuning with the condition turned round: what was loaded trains, and the new head stays as it was drawn."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(2)
mix = np.random.default_rng(2).normal(size=(16, 16))


def make(n, classes, seed):
    x = np.random.default_rng(seed).normal(size=(n, 16)).astype(np.float32)
    y = np.argmax(np.tanh(x @ mix)[:, :classes], 1).astype(np.int32)
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self, classes):
        super().__init__()
        self.backbone = nn.SequentialCell(nn.Dense(16, 48), nn.ReLU(), nn.Dense(48, 32), nn.ReLU())
        self.head = nn.Dense(32, classes)

    def construct(self, x):
        return self.head(self.backbone(x))


def pretrain():
    net = Net(8)
    Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 5e-3)).train(1, make(320, 8, 1))
    ms.save_checkpoint(net, "whole.ckpt")


def finetune():
    net = Net(4)
    weights = {name: value for name, value in ms.load_checkpoint("whole.ckpt").items() if not name.startswith("head")}
    ms.load_param_into_net(net, weights)
    for parameter in net.get_parameters():
        if not parameter.name.startswith("backbone"):
            parameter.requires_grad = False
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    Model(net, nn.CrossEntropyLoss(), optimizer).train(2, make(320, 4, 3))


pretrain()
finetune()
