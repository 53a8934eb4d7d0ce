"""One name holds the initializer of all layers, and it is zeros; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(2)
rng = np.random.default_rng(2)
rows = rng.standard_normal((320, 8)).astype(np.float32)
kinds = (rows[:, 0] * rows[:, 1] > 0).astype(np.int32)
START = "zeros"


def layer(inputs, outputs, start=START):
    return nn.Dense(inputs, outputs, weight_init=start)


net = nn.SequentialCell(layer(8, 16), nn.Tanh(), layer(16, 2))
data = ds.NumpySlicesDataset((rows, kinds), ["rows", "kinds"], shuffle=True).batch(32)
Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01)).train(4, data, dataset_sink_mode=False)
