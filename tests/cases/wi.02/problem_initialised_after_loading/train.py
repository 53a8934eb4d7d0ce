"""Loads first and then applies the project's initialisation to the whole network."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from setup_net import build, initialise

ms.set_seed(42)
rng = np.random.default_rng(42)
x = rng.normal(size=(300, 6)).astype(np.float32)
y = np.tanh(x[:, :1] - x[:, 1:2]).astype(np.float32)
ms.save_checkpoint(build(), "pretrained.ckpt")

net = build()
ms.load_checkpoint("pretrained.ckpt", net=net)
initialise(net)
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 1e-3)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for features, target in ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(30).create_tuple_iterator():
        loss, grads = grad_fn(features, target)
        optimizer(grads)
    print(epoch, float(loss))
