"""Cross-validation: a network of its own for each fold, evaluated once."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, Model

ms.set_seed(15)
rng = np.random.default_rng(15)
n = 400
x = rng.normal(size=(n, 8)).astype(np.float32)
y = (x[:, 0] + x[:, 1] > 0).astype(np.int32)


def batches(values, rows, shuffle):
    return ds.NumpySlicesDataset((values[rows], y[rows]), ["x", "y"], shuffle=shuffle).batch(20)


folds = np.array_split(rng.permutation(n), 4)
scores = []
for k, test in enumerate(folds):
    train = np.concatenate([f for j, f in enumerate(folds) if j != k])
    mu, sd = x[train].mean(0), x[train].std(0)
    net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 2))
    model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-2), {"acc": Accuracy()})
    standard = ((x - mu) / sd).astype(np.float32)
    model.train(4, batches(standard, train, True), dataset_sink_mode=False)
    scores.append(model.eval(batches(standard, test, False), dataset_sink_mode=False)["acc"])
print(np.mean(scores))
