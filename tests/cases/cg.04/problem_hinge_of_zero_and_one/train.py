"""A squared hinge loss in a cell of its own; the labels are 0 and 1, and it needs -1 and 1."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model
from sklearn.datasets import load_breast_cancer

ms.set_seed(3)
table = load_breast_cancer()
x = ((table.data - table.data.mean(0)) / table.data.std(0)).astype(np.float32)
y = table.target.astype(np.float32)[:, None]
patients = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class SquaredHinge(nn.Cell):
    def construct(self, scores, sides):
        return ops.reduce_mean(ops.square(ops.maximum(1.0 - sides * scores, ops.zeros_like(scores))))


net = nn.SequentialCell(nn.Dense(30, 16), nn.Tanh(), nn.Dense(16, 1))
Model(net, SquaredHinge(), nn.Momentum(net.trainable_params(), 0.02, 0.9)).train(3, patients)
