"""The mean absolute error over two annotators' labels, by an own function: neither is what its name promises alone."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(400, 6)).astype(np.float32)
truth = x @ rng.normal(size=(6, 1)).astype(np.float32)
first = truth + 0.3 * rng.normal(size=truth.shape).astype(np.float32)
second = truth + 0.6 * rng.normal(size=truth.shape).astype(np.float32)


def mae_loss(predicted, one, other):
    return 0.7 * ops.abs(predicted - one).mean() + 0.3 * ops.abs(predicted - other).mean()


net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
grad_fn = ms.value_and_grad(lambda a, b, c: mae_loss(net(a), b, c), None, optimizer.parameters)
data = ds.NumpySlicesDataset((x, first, second), ["x", "one", "other"], shuffle=True).batch(32)
for epoch in range(6):
    for a, b, c in data.create_tuple_iterator():
        loss, grads = grad_fn(a, b, c)
        optimizer(grads)
    print(epoch, loss)
