"""Parts of 490 and 470 samples: the last batch of a pass is smaller on one rank; a training cell that reduces gradients."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
init()
rank, size = get_rank(), get_group_size()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=size)
ms.set_seed(32)
rng = np.random.default_rng(32)
kind = rng.integers(0, 3, 960)
raw = (40 * rng.normal(size=(960, 8)) + 60 * np.eye(3, 8)[kind] + 100).astype(np.float32)
x = (raw - raw.mean(axis=0)) / raw.std(axis=0)

part = slice(0, 490) if rank == 0 else slice(490, 960)
data = ds.NumpySlicesDataset((x[part], kind[part].astype(np.int32)), ["x", "y"], shuffle=True).batch(50)

net = nn.SequentialCell(nn.Dense(8, 24), nn.ReLU(), nn.Dense(24, 3))
optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
step.set_train()
for epoch in range(10):
    for a, b in data.create_tuple_iterator():
        loss = step(a, b)
print(float(loss))
