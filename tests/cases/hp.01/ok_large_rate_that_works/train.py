"""A rate of 0.5 looks large; for plain SGD on this small problem it is right."""

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


class Net(nn.Cell):
    def __init__(self, width=16, outputs=4):
        super().__init__()
        self.first = nn.Dense(10, width)
        self.act = nn.ReLU()
        self.last = nn.Dense(width, outputs)

    def construct(self, x):
        return self.last(self.act(self.first(x)))


net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.5)

Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
