"""ops.cross_entropy is given roots of the class counts as weights; two classes, a loop in PyNative mode."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_breast_cancer

ms.set_seed(1)
table = load_breast_cancer()
keep = np.concatenate([np.flatnonzero(table.target == 0)[:90], np.flatnonzero(table.target == 1)])
x = ((table.data - table.data.mean(0)) / table.data.std(0)).astype(np.float32)[keep]
y = table.target.astype(np.int32)[keep]
_, counts = np.unique(y, return_counts=True)
balance = ms.Tensor(np.sqrt(counts / counts.mean()), ms.float32)

net = nn.SequentialCell(nn.Dense(30, 16), nn.Tanh(), nn.Dense(16, 2))
optimizer = nn.Momentum(net.trainable_params(), 0.02, 0.9)


def forward(inputs, labels):
    return ops.cross_entropy(net(inputs), labels, balance)


data = ms.dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
step = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(8):
    for inputs, labels in data.create_tuple_iterator():
        value, gradients = step(inputs, labels)
        optimizer(gradients)
    print(epoch, value)
