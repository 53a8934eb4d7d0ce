"""The first rank has three quarters of the data and larger batches; gradients are averaged by hand over ranks."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
rank = get_rank()
ms.set_seed(31)
rng = np.random.default_rng(31)
kind = rng.integers(0, 3, 960)
x = (rng.normal(size=(960, 8)) + 1.5 * np.eye(3, 8)[kind]).astype(np.float32)
y = kind.astype(np.int32)

bounds = [(0, 720), (720, 960)][rank]
size = 48 if rank == 0 else 16
part = slice(*bounds)
data = ds.NumpySlicesDataset({"x": x[part], "y": y[part]}, shuffle=True).batch(size)  # here

net = nn.SequentialCell(nn.Dense(8, 24), nn.ReLU(), nn.Dense(24, 3))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
sum_over_ranks = ops.AllReduce(ops.ReduceOp.SUM)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)


def mean_over_ranks(grads):
    return tuple(sum_over_ranks(grad) / 2 for grad in grads)


for epoch in range(10):
    for a, b in data.create_tuple_iterator():
        loss, grads = grad_fn(a, b)
        optimizer(mean_over_ranks(grads))
print(float(loss))
