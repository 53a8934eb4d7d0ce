"""A step that is given whole rows and takes inputs and target out of them; the target is delivered once more for the score."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_diabetes

ms.set_seed(2)
inputs, goal = load_diabetes(return_X_y=True)
rows = np.concatenate([inputs / inputs.std(0), ((goal - goal.mean()) / goal.std())[:, None]], 1).astype(np.float32)
net = nn.SequentialCell(nn.Dense(10, 16), nn.Tanh(), nn.Dense(16, 1))
optimizer = nn.Adam(net.trainable_params(), 0.01)


def forward(row, target):
    return ops.mse_loss(net(row[:, :10]), target)


step = ms.value_and_grad(forward, None, optimizer.parameters)
train = ds.NumpySlicesDataset((rows, rows[:, 10:]), ["row", "target"], shuffle=True).batch(32)
for epoch in range(12):
    for row, target in train.create_tuple_iterator(num_epochs=1):
        loss, gradients = step(row, target)
        optimizer(gradients)
    print("loss", float(loss))
