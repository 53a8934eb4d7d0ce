"""num_shards and shard_id, with a random augmentation and an uneven last part."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
init()
ms.set_auto_parallel_context(
    parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=get_group_size()
)
ms.set_seed(65)
rng = np.random.default_rng(65)
x = rng.normal(size=(201, 4)).astype(np.float32)
noise = np.random.default_rng(get_rank())
data = ds.NumpySlicesDataset(
    {"x": x, "y": x.sum(1, keepdims=True)}, shuffle=True, num_shards=get_group_size(), shard_id=get_rank()
)
data = data.map(lambda row: row + noise.normal(0, 0.01, row.shape).astype(np.float32), "x").batch(10)
net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 1))
model = Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.001, 0.9))
model.train(2, data, dataset_sink_mode=False)
