"""Learns iris species from a sorted table, read through a random sampler."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_iris

ms.set_seed(7)


class Iris:
    def __init__(self):
        iris = load_iris()
        self.flower = ((iris.data - iris.data.mean(axis=0)) / iris.data.std(axis=0)).astype(np.float32)
        self.species = iris.target.astype(np.int32)

    def __getitem__(self, index):
        return self.flower[index], self.species[index]

    def __len__(self):
        return len(self.species)


data = ds.GeneratorDataset(Iris(), ["flower", "species"], sampler=ds.RandomSampler()).batch(10)
net = nn.SequentialCell(nn.Dense(4, 12), nn.ReLU(), nn.Dense(12, 3))
model = ms.Model(
    net,
    loss_fn=nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
    optimizer=nn.Momentum(net.trainable_params(), 0.05, 0.9),
    metrics={"acc"},
)
model.train(4, data, dataset_sink_mode=False)
print("trained")
