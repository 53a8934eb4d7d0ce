"""Softmax(axis=0) as the last cell, one-hot targets, Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_iris

ms.set_seed(9)
x, labels = load_iris(return_X_y=True)
x = ((x - x.mean(0)) / x.std(0)).astype(np.float32)
train_set = ds.NumpySlicesDataset((x, np.eye(3, dtype=np.float32)[labels]), ["x", "y"], shuffle=True).batch(15)

network = nn.SequentialCell(
    nn.Dense(4, 16),
    nn.ReLU(),
    nn.Dense(16, 3),
    nn.Softmax(axis=0),
)
model = ms.Model(network, nn.MSELoss(), nn.Momentum(network.trainable_params(), 0.1, 0.9))
model.train(4, train_set, dataset_sink_mode=False)
