"""Trains on one device with the sharding of a cluster still in the data set."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(2)
rng = np.random.default_rng(2)
x = rng.normal(size=(1200, 10)).astype(np.float32)
y = rng.integers(0, 3, 1200).astype(np.int32)
x[np.arange(1200), y] += 2
RANKS = 4
train = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True, num_shards=RANKS, shard_id=0).batch(20)
net = nn.SequentialCell(nn.Dense(10, 16), nn.ReLU(), nn.Dense(16, 3))
Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 5e-3)).train(
    5, train, LossMonitor(15), dataset_sink_mode=False
)
