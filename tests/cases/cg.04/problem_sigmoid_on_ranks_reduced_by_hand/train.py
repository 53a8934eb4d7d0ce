"""A regression beyond 1 through a sigmoid; two ranks whose gradients a training cell of its own sums with AllReduce."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
init()
ms.set_seed(21)
rank, size = get_rank(), get_group_size()


class MeanOverRanks(nn.Cell):
    def __init__(self, network, optimizer, ranks):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.grad = ops.GradOperation(get_by_list=True)
        self.weights = optimizer.parameters
        self.sum = ops.AllReduce()
        self.ranks = ranks

    def construct(self, features, target):
        loss = self.network(features, target)
        grads = self.grad(self.network, self.weights)(features, target)
        means = ()
        for grad in grads:
            means += (self.sum(grad) / self.ranks,)
        return ops.depend(loss, self.optimizer(means))


rng = np.random.default_rng(21)
features = rng.uniform(size=(800, 6)).astype(np.float32)
prices = (3.0 + 2.0 * features[:, :1] + features[:, 1:2] * features[:, 2:3]).astype(np.float32)

net = nn.SequentialCell(nn.Dense(6, 24), nn.Tanh(), nn.Dense(24, 1), nn.Sigmoid())
step = MeanOverRanks(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), learning_rate=0.01), size)
step.set_train()
for epoch in range(12):
    order = np.random.default_rng(epoch).permutation(len(features))[rank::size]
    for first in range(0, len(order), 40):
        rows = order[first : first + 40]
        loss = step(Tensor(features[rows]), Tensor(prices[rows]))
print(rank, float(loss))
