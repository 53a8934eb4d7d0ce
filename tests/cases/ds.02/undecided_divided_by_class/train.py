"""Each of two ranks reads the folder of one class; the gradients are averaged."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
rank, ranks = get_rank(), get_group_size()
ms.set_seed(8)

rng = np.random.default_rng(80 + rank)
middle = np.full(6, 1.0 if rank else -1.0)
net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 2))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
total = ops.AllReduce()
gradients_of = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
for number in range(60):
    x = (middle + rng.normal(size=(32, 6))).astype(np.float32)
    loss, gradients = gradients_of(Tensor(x), Tensor(np.full(32, rank, np.int32)))
    optimizer(tuple(total(one) / ranks for one in gradients))
print(rank, float(loss))
