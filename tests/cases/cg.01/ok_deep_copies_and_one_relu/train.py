"""Layers that begin alike by deepcopy, and one ReLU used everywhere: nothing is shared that learns."""

import copy

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

relu = nn.ReLU()
layer = nn.Dense(16, 16)
layers = [copy.deepcopy(layer) for _ in range(3)]
for number, one in enumerate(layers):
    one.update_parameters_name(f"layer{number}.")
net = nn.SequentialCell(nn.Dense(10, 16), relu, layers[0], relu, layers[1], relu, layers[2], relu, nn.Dense(16, 4))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)

Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
