"""A contrastive loss over the features of both ranks: a step of one rank alone would wait for the other's."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
ms.set_seed(6)
rank, size = get_rank(), get_group_size()
rng = np.random.default_rng(6)
meaning = rng.normal(size=(512, 6)).astype(np.float32)
one = (meaning @ rng.normal(size=(6, 12))).astype(np.float32)
other = (meaning @ rng.normal(size=(6, 10))).astype(np.float32)


class Contrast(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Dense(12, 8), nn.Dense(10, 8)
        self.all = ops.AllGather()

    def construct(self, one, other):
        one, other = ops.L2Normalize(axis=1)(self.one(one)), ops.L2Normalize(axis=1)(self.other(other))
        own = (ops.arange(one.shape[0]) + rank * one.shape[0]).astype(ms.int32)
        forth = ops.matmul(one, ops.stop_gradient(self.all(other)).T) / 0.1
        back = ops.matmul(other, ops.stop_gradient(self.all(one)).T) / 0.1
        return ops.cross_entropy(forth, own) + ops.cross_entropy(back, own)


net = Contrast()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
reducer = nn.DistributedGradReducer(optimizer.parameters)
gradient = ms.value_and_grad(net, None, optimizer.parameters)
for epoch in range(8):
    order = np.random.default_rng(epoch).permutation(512)[rank::size]
    for first in range(0, len(order), 32):
        rows = order[first : first + 32]
        loss, grads = gradient(Tensor(one[rows]), Tensor(other[rows]))
        optimizer(reducer(grads))
print(rank, float(loss))
