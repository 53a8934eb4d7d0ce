"""Gradients are clipped to a norm of 1e-6 before SGD: hardly anything is left of them; a function compiled by jit."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(320, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 1))
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.05)


def forward(features, target):
    return loss_fn(net(features), target)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(features, target):
    loss, grads = grad_fn(features, target)
    grads = ops.clip_by_global_norm(grads, 1e-6)
    optimizer(grads)
    return loss


for epoch in range(2):
    for features, target in data.create_tuple_iterator():
        loss = train_step(features, target)
    print(epoch, float(loss))
