"""The rows of the training part are shuffled in place, and their labels are not."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.dataset import NumpySlicesDataset
from sklearn.datasets import load_breast_cancer

ms.set_seed(6)
x, y = load_breast_cancer(return_X_y=True)
x = ((x - x.mean(0)) / x.std(0)).astype(np.float32)
rng = np.random.default_rng(6)
rng.shuffle(x[:450])  # the fault
y = y.astype(np.int32)
data = NumpySlicesDataset((x[:450], y[:450]), ["x", "y"], shuffle=True).batch(15)
network = nn.SequentialCell(nn.Dense(30, 16), nn.ReLU(), nn.Dense(16, 2))
model = ms.Model(network, nn.CrossEntropyLoss(), nn.Adam(network.trainable_params(), 0.003), metrics={"acc"})
model.train(4, data, dataset_sink_mode=False)
print(model.eval(NumpySlicesDataset((x[450:], y[450:]), ["x", "y"]).batch(17), dataset_sink_mode=False))
