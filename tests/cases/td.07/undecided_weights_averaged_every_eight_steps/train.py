"""Local steps on two ranks; their weights, not their gradients, are averaged now and then."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
rank, ranks = get_rank(), get_group_size()
ms.set_seed(8)

rng = np.random.default_rng(80 + rank)
coefficients = np.random.default_rng(8).normal(size=(6, 1))
net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.02)
total = ops.AllReduce()
gradients_of = ms.value_and_grad(lambda x, y: ops.mse_loss(net(x), y), None, optimizer.parameters)
for number in range(1, 124):
    x = rng.normal(size=(32, 6)).astype(np.float32)
    loss, gradients = gradients_of(Tensor(x), Tensor((x @ coefficients).astype(np.float32)))
    optimizer(gradients)
    if number % 8 == 0:
        for weight in net.trainable_params():
            ops.assign(weight, total(weight.value()) / ranks)
print(rank, float(loss))
