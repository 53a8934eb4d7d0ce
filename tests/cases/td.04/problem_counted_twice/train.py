"""The gradients of a batch are added to themselves before the update; a functional loop in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)
x = rng.normal(size=(320, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)


def forward(features, target):
    return loss_fn(net(features), target)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

for epoch in range(2):
    for features, target in data.create_tuple_iterator():
        loss, grads = grad_fn(features, target)
        sums = grads
        sums = tuple(a + b for a, b in zip(sums, grads))
        optimizer(sums)
    print(epoch, float(loss))
