"""Logits into a cross entropy; two ranks, a functional loop whose gradients a reducer averages."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
ms.set_seed(12)
rng = np.random.default_rng(12)
x = rng.normal(size=(1024, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
shard = {"num_shards": get_group_size(), "shard_id": get_rank()}
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True, **shard).batch(32)

net = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU(), nn.Dense(32, 4))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
reducer = nn.DistributedGradReducer(optimizer.parameters)


def forward(features, label):
    logits = net(features)
    return loss_fn(logits, label), logits


gradient = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)


@ms.jit
def train_step(features, label):
    (loss, _), grads = gradient(features, label)
    grads = reducer(grads)
    optimizer(grads)
    return loss


for epoch in range(6):
    for features, label in data.create_tuple_iterator():
        loss = train_step(features, label)
print(get_rank(), float(loss))
