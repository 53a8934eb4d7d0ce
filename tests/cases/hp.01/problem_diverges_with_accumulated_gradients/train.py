"""Gradients of two batches added up in a loop of functions, at a rate a hundred times too large: no range test is made."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(8)
rng = np.random.default_rng(8)
x = rng.normal(size=(480, 6)).astype(np.float32)
y = (x @ rng.normal(size=(6, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(24)

net = nn.SequentialCell(nn.Dense(6, 8), nn.Tanh(), nn.Dense(8, 1))
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=3.0)  # here


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
kept = None
for number, (features, target) in enumerate(data.create_tuple_iterator(num_epochs=1), 1):
    loss, grads = grad_fn(features, target)
    kept = grads if kept is None else [a + b for a, b in zip(kept, grads)]
    if number % 2 == 0:
        optimizer(tuple(kept))
        kept = None
    print(number, float(loss))
