"""A functional loop whose ranks ask for the same shard: the id comes from an environment variable that is not set here."""

import os

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
ms.set_seed(62)
rng = np.random.default_rng(62)
x = rng.normal(size=(160, 4)).astype(np.float32)
shard = int(os.environ.get("MY_CLUSTER_RANK", 0))
data = ds.NumpySlicesDataset(
    {"x": x, "y": x.sum(1, keepdims=True)}, shuffle=True, num_shards=get_group_size(), shard_id=shard
).batch(10)
net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 1))
loss_fn, optimizer = nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01)


def forward(features, target):
    return loss_fn(net(features), target)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
reducer = nn.DistributedGradReducer(optimizer.parameters)
net.set_train()
for features, target in data.create_tuple_iterator():
    loss, grads = grad_fn(features, target)
    optimizer(reducer(grads))
print(float(loss))
