"""A functional loop on two ranks whose reducer sums, with a rate at the edge of what the mean bears."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
rank, ranks = get_rank(), get_group_size()
ms.set_seed(8)

rng = np.random.default_rng(8)
readings = rng.normal(size=(512, 6)).astype(np.float32)
levels = (readings @ rng.normal(size=(6, 1)) + 0.1).astype(np.float32)
own = np.arange(rank, len(readings), ranks)
net = nn.Dense(6, 1)
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.6)
reducer = nn.DistributedGradReducer(optimizer.parameters, mean=False, degree=ranks)
gradients_of = ms.value_and_grad(lambda x, y: ops.mse_loss(net(x), y), None, optimizer.parameters)
for number in range(60):
    rows = rng.choice(own, 64)
    loss, gradients = gradients_of(Tensor(readings[rows]), Tensor(levels[rows]))
    optimizer(reducer(gradients))
print(rank, float(loss))
