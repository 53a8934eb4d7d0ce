"""Fitted Q values of a walk on two ranks; the target network is copied where the first rank prints."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
rank, ranks = get_rank(), get_group_size()
ms.set_seed(8)

rng = np.random.default_rng(80 + rank)
rows = np.eye(8, dtype=np.float32)


def network():
    return nn.SequentialCell(nn.Dense(8, 24), nn.ReLU(), nn.Dense(24, 2))


online, target = network(), network()


def take_over():
    for source, copy in zip(online.get_parameters(), target.get_parameters()):
        copy.set_data(Tensor(source.asnumpy().copy()))


take_over()
optimizer = nn.Adam(online.trainable_params(), learning_rate=0.005)
reduced = nn.DistributedGradReducer(optimizer.parameters, mean=True, degree=ranks)


def forward(state, action, wanted):
    return ops.square((online(state) * action).sum(1) - wanted).mean()


gradients_of = ms.value_and_grad(forward, None, optimizer.parameters)
for number in range(120):
    at, way = rng.integers(0, 8, 32), rng.integers(0, 2, 32)
    then = np.clip(at + 2 * way - 1, 0, 7)
    wanted = (then == 7) + 0.9 * target(Tensor(rows[then])).asnumpy().max(1)
    loss, gradients = gradients_of(
        Tensor(rows[at]), Tensor(np.eye(2, dtype=np.float32)[way]), Tensor(wanted.astype(np.float32))
    )
    optimizer(reduced(gradients))
    if number % 10 == 9 and rank == 0:
        take_over()
        print(number, float(loss))
