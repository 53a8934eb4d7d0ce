"""Separates two moons; a fresh iterator in every epoch."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import make_moons

ms.set_seed(42)
ms.set_context(mode=ms.PYNATIVE_MODE)

points, moon = make_moons(600, noise=0.15, random_state=42)


class Moons:
    def __len__(self):
        return len(moon)

    def __getitem__(self, index):
        return points[index].astype(np.float32), np.int32(moon[index])


train_set = ds.GeneratorDataset(Moons(), ["point", "moon"], shuffle=True).batch(30, drop_remainder=True)

net = nn.SequentialCell(nn.Dense(2, 16), nn.ReLU(), nn.Dense(16, 2))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
loss_fn = nn.CrossEntropyLoss()


def forward(point, target):
    logits = net(point)
    return loss_fn(logits, target), logits


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)


def train_epoch():
    net.set_train()
    right = 0
    for point, target in train_set.create_tuple_iterator(num_epochs=1):
        (loss, logits), grads = grad_fn(point, target)
        optimizer(grads)
        right += int(ops.equal(logits.argmax(1), target).astype(ms.int32).sum())
    return float(loss), right / len(moon)


for epoch in range(4):
    print("epoch", epoch, "loss %.3f accuracy %.3f" % train_epoch())
