"""Data parallel by the context, but the functional loop updates with each rank's own gradients."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(256, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True, num_shards=get_group_size(), shard_id=get_rank()).batch(
    16
)

net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

for features, target in data.create_tuple_iterator():
    loss, grads = grad_fn(features, target)
    optimizer(grads)
print(get_rank(), float(loss))
