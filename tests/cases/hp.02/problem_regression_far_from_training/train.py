"""More weights than samples in a loop of functions: the training error goes to zero, the one on new data stays."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(22)
rng = np.random.default_rng(22)
x = rng.normal(size=(240, 40)).astype(np.float32)
y = (x[:, :1] + 0.9 * rng.normal(size=(240, 1))).astype(np.float32)
train_set = ds.NumpySlicesDataset((x[:40], y[:40]), ["x", "y"], shuffle=True).batch(10)

net = nn.SequentialCell(nn.Dense(40, 64), nn.ReLU(), nn.Dense(64, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 5e-3)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


def evaluate():
    net.set_train(False)
    val_loss = float(loss_fn(net(ms.Tensor(x[40:])), ms.Tensor(y[40:])))
    net.set_train(True)
    return val_loss


net.set_train()
for epoch in range(60):
    for features, target in train_set.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(features, target)
        optimizer(grads)
    if epoch % 12 == 11:
        print(epoch, float(loss), evaluate())
