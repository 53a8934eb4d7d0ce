"""The same network with a warm-up to a rate at which the range test no longer falls, and a decay from there."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 6)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(10, 24), nn.Tanh(), nn.Dense(24, 24), nn.Tanh(), nn.Dense(24, 6))
loss_fn = nn.CrossEntropyLoss()
rates = [0.08 * min(1.0, (n + 1) / 60) * max(0.02, 1 - n / 360) for n in range(360)]
optimizer = nn.Adam(net.trainable_params(), learning_rate=rates)


def forward(inputs, labels):
    return loss_fn(net(inputs), labels)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(18):
    for inputs, labels in data.create_tuple_iterator():
        loss, grads = grad_fn(inputs, labels)
        optimizer(grads)
    print(epoch, float(loss))
