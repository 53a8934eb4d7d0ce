"""Keeps the weights of the best epoch, and trains on from them at a lower rate."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(4)
rng = np.random.default_rng(4)
kinds = rng.integers(0, 5, 700).astype(np.int32)
grains = (np.eye(5)[kinds] @ rng.normal(0, 1, (5, 12)) + rng.normal(0, 0.8, (700, 12))).astype(np.float32)
train, check = slice(0, 500), slice(500, 700)


def network():
    return nn.SequentialCell(nn.Dense(12, 24), nn.ReLU(), nn.Dense(24, 5))


def accuracy(net, part):
    net.set_train(False)
    return float((net(Tensor(grains[part])).asnumpy().argmax(1) == kinds[part]).mean())


def train_epochs(net, rate, epochs, file=None):
    optimizer = nn.Adam(net.trainable_params(), learning_rate=rate)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
    best = None
    for epoch in range(epochs):
        step.set_train()
        order = rng.permutation(500)
        for begin in range(0, 500, 25):
            part = order[begin : begin + 25]
            loss = step(Tensor(grains[part]), Tensor(kinds[part]))
        reached = accuracy(net, check)
        print(epoch, loss, reached)
        if file and (best is None or reached > best):
            best = reached
            ms.save_checkpoint(net, file)


train_epochs(network(), 3e-3, 6, "grains.ckpt")
again = network()
ms.load_param_into_net(again, ms.load_checkpoint("grains.ckpt"))
train_epochs(again, 3e-4, 2)
