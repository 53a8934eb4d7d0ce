"""The gradients of two ranks are summed before SGD, as MindSpore does unless told otherwise; Model.train in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
init()
ms.set_auto_parallel_context(
    parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=False, device_num=get_group_size()
)
ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(256, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True, num_shards=get_group_size(), shard_id=get_rank()).batch(
    16
)

net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 1))
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.005, momentum=0.9)
Model(net, nn.MSELoss(), optimizer).train(2, data, dataset_sink_mode=False)
