"""A training cell of its own; accuracy on held-out data is measured by hand every few epochs."""

import mindspore as ms
from data import load
from mindspore import nn
from steps import TrainCell

ms.set_seed(53)
train_set, test_set = load()
net = nn.SequentialCell(nn.Dense(20, 160), nn.ReLU(), nn.Dense(160, 160), nn.ReLU(), nn.Dense(160, 2))
cell = TrainCell(net, nn.Adam(net.trainable_params(), 3e-3))


def accuracy():
    net.set_train(False)
    hits = total = 0
    for x, y in test_set.create_tuple_iterator():
        hits += int((net(x).argmax(axis=1) == y).sum())
        total += len(y)
    net.set_train(True)
    return hits / total


for epoch in range(40):
    for x, y in train_set.create_tuple_iterator():
        loss = cell(x, y)
    if epoch % 2 == 0:
        print(epoch, float(loss), accuracy())
