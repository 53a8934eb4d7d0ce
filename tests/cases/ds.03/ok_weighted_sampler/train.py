"""Finds fraud: the rare class is drawn more often by a weighted sampler."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import make_classification

ms.set_seed(37)

x, y = make_classification(n_samples=900, n_features=8, weights=[0.94], flip_y=0, random_state=37)
x = ((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32)
y = y.astype(np.int32)
weights = (1.0 / np.bincount(y))[y].tolist()


class Payments:
    def __getitem__(self, index):
        return x[index], y[index]

    def __len__(self):
        return len(y)


sampler = ds.WeightedRandomSampler(weights, num_samples=len(y), replacement=True)
train_set = ds.GeneratorDataset(Payments(), ["payment", "fraud"], sampler=sampler)
train_set = train_set.shuffle(len(y)).batch(30)

net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 2))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = ms.Model(net, loss, nn.Adam(net.trainable_params(), learning_rate=0.005))
model.train(3, train_set, dataset_sink_mode=False)
print("classes in the table:", np.bincount(y).tolist())
