"""A cosine schedule that restarts twice: the loss rises a little at each restart and falls again."""

import math

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(4)
rng = np.random.default_rng(4)
x = rng.normal(size=(800, 8)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(8, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40)
rates = [0.8 * (1 + math.cos(math.pi * (step % 80) / 80)) / 2 + 1e-4 for step in range(240)]
net = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dense(32, 4))
Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), rates)).train(12, data, dataset_sink_mode=False)
