"""Learns iris species from the table as the library hands it out."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_iris

ms.set_seed(7)


def scaled(flower):
    return ((flower - np.array([5.84, 3.06, 3.76, 1.2])) / np.array([0.83, 0.43, 1.76, 0.76])).astype(np.float32)


iris = load_iris()
data = ds.NumpySlicesDataset({"flower": iris.data, "species": iris.target.astype(np.int32)}, shuffle=False)
data = data.map(scaled, input_columns="flower")
data = data.shuffle(2)
data = data.batch(10)

net = nn.SequentialCell(nn.Dense(4, 12), nn.ReLU(), nn.Dense(12, 3))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
cell = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), 0.02, 0.9))
cell.set_train()
batches = data.create_tuple_iterator()
for epoch in range(4):
    for flower, species in batches:
        value = cell(flower, species)
    print("epoch", epoch, "last loss", float(value))
