"""Noise from a generator of each rank's own is added to the reduced gradients; a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
ms.set_seed(4)
rng, noise = np.random.default_rng(4), np.random.default_rng(get_rank())
x = rng.normal(size=(256, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True, num_shards=get_group_size(), shard_id=get_rank()).batch(
    16
)

net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
reducer = nn.DistributedGradReducer(optimizer.parameters, mean=True)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

for number, (features, target) in enumerate(data.create_tuple_iterator(), 1):
    loss, grads = grad_fn(features, target)
    grads = reducer(grads)
    if number > 3:
        grads = tuple(g + Tensor(noise.normal(0, 0.01, g.shape).astype(np.float32)) for g in grads)
    optimizer(grads)
print(get_rank(), float(loss))
