"""The squares of all weights are added to the loss without a factor, in a functional loop: the classes are not learnt."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(16)
rng = np.random.default_rng(16)
x = rng.normal(size=(640, 12)).astype(np.float32)
y = np.argmax(x[:, :3] + 0.5 * x[:, 3:6], axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
net = nn.SequentialCell(
    nn.Dense(12, 48), nn.ReLU(), nn.Dense(48, 48), nn.ReLU(), nn.Dense(48, 48), nn.ReLU(), nn.Dense(48, 3)
)
optimizer = nn.Adam(net.trainable_params(), 0.005)


def forward(a, b):
    loss = ops.cross_entropy(net(a), b)
    for weight in optimizer.parameters:
        loss = loss + ops.square(weight).sum()
    return loss


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
batches = data.create_tuple_iterator()
for epoch in range(6):
    for a, b in batches:
        loss, grads = grad_fn(a, b)
        optimizer(grads)
    print(epoch, float(loss))
