"""Predictions (N, 1) and labels (N,): the difference is N x N; own loss, compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)

ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1)) + 0.3 * np.sin(3 * x[:, :1])).astype(np.float32)
y = y[:, 0]
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(8, 32), nn.Tanh(), nn.Dense(32, 1))
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)


def squared_error(predicted, wanted):
    return ops.square(predicted - wanted).mean()  # here


def forward(x, y):
    return squared_error(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss


net.set_train()
for epoch in range(2):
    for x_batch, y_batch in data.create_tuple_iterator(num_epochs=1):
        loss = train_step(x_batch, y_batch)
    print(epoch, float(loss))
