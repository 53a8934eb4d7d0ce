"""A checkpoint is read, its head is taken out of it, and then it is forgotten."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits

ms.set_seed(6)
rows = (load_digits().data / 16.0).astype(np.float32)
labels = load_digits().target.astype(np.int32)


def network(classes):
    return nn.SequentialCell(nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, classes))


def train(net, x, y):
    data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
    model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.005))
    model.train(1, data, dataset_sink_mode=False)


first = network(10)
train(first, rows[:1200], labels[:1200])
ms.save_checkpoint(first, "first.ckpt")

second = network(2)
weights = ms.load_checkpoint("first.ckpt")
for name in list(weights):
    if name.startswith("2."):
        weights.pop(name)
print("loaded", len(weights), "parameters")
train(second, rows[1200:], (labels[1200:] > 4).astype(np.int32))
