"""Six epochs at a small rate, then the end; a loop with value_and_grad."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(52)
rng = np.random.default_rng(52)
x = rng.normal(size=(900, 10)).astype(np.float32)
y = (x @ rng.normal(size=(10, 1)) + 0.5).astype(np.float32)
train_set = ds.NumpySlicesDataset((x[:640], y[:640]), ["x", "y"], shuffle=True).batch(32)
valid_set = ds.NumpySlicesDataset((x[640:], y[640:]), ["x", "y"], shuffle=False).batch(65)

net = nn.SequentialCell(nn.Dense(10, 24), nn.Tanh(), nn.Dense(24, 1))
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), 0.004)


def forward(features, target):
    return loss_fn(net(features), target)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


def train_epoch(batches):
    net.set_train(True)
    for features, target in batches:
        loss, grads = grad_fn(features, target)
        optimizer(grads)


for epoch in range(6):
    train_epoch(train_set.create_tuple_iterator())
    net.set_train(False)
    losses = [float(loss_fn(net(features), target)) for features, target in valid_set.create_tuple_iterator()]
    print(f"epoch {epoch}: validation {np.mean(losses):.4f}")
