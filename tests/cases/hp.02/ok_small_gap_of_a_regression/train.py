"""A compiled step; the validation error settles somewhat above the training error, as it should."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(24)
rng = np.random.default_rng(24)
x = rng.normal(size=(600, 5)).astype(np.float32)
y = (x @ rng.normal(size=(5, 1)) + 0.15 * rng.normal(size=(600, 1))).astype(np.float32)
train_set = ds.NumpySlicesDataset((x[:400], y[:400]), ["x", "y"], shuffle=True).batch(20)

net = nn.SequentialCell(nn.Dense(5, 16), nn.Tanh(), nn.Dense(16, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 2e-2)


def forward(a, b):
    return loss_fn(net(a), b)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(a, b):
    loss, grads = grad_fn(a, b)
    optimizer(grads)
    return loss


def evaluate():
    net.set_train(False)
    val_loss = float(loss_fn(net(ms.Tensor(x[400:])), ms.Tensor(y[400:])))
    net.set_train(True)
    return val_loss


net.set_train()
for epoch in range(14):
    for features, target in train_set.create_tuple_iterator(num_epochs=1):
        loss = train_step(features, target)
    print(epoch, float(loss), evaluate())
