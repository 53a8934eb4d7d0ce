"""Counts are not negative; relu ends the network."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = rng.poisson(3, (640, 1)).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 1), nn.ReLU())
loss_fn = nn.L1Loss()


def forward(x, y):
    return loss_fn(net(x), y)


optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()


@ms.jit
def train_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss


for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = train_step(*batch)
    print(epoch, float(loss))
