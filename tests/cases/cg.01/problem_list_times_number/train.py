"""Six layers by [block] * 6; Model.train in graph mode."""

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


class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.dense = nn.Dense(width, width)
        self.act = nn.ReLU()

    def construct(self, x):
        return x + self.act(self.dense(x))


net = nn.SequentialCell(nn.Dense(10, 16), nn.SequentialCell([Block(16)] * 6), nn.Dense(16, 4))  # here
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)

Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
