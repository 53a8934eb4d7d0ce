"""Batches of 1000 and six compiled updates in all: the network has hardly moved."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(31)
rng = np.random.default_rng(31)
x = rng.normal(size=(3000, 8)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(8, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(1000)  # here

net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 4))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)


def forward(a, b):
    return loss_fn(net(a), b)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(a, b):
    loss, grads = grad_fn(a, b)
    optimizer(grads)
    return loss


net.set_train()
for epoch in range(2):
    for features, target in data.create_tuple_iterator(num_epochs=1):
        loss = train_step(features, target)
    print(epoch, float(loss))
