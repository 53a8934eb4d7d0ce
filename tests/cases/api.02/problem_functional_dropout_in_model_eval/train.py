"""Trained with Model, compiled; the network drops with a function imported by another name."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.ops import dropout as drop

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
labels = rng.integers(0, 3, 360).astype(np.int32)
x = (rng.normal(size=(3, 10))[labels] + rng.normal(size=(360, 10))).astype(np.float32)
train = ds.NumpySlicesDataset((x[:300], labels[:300]), ["x", "y"], shuffle=True).batch(30)
test = ds.NumpySlicesDataset((x[300:], labels[300:]), ["x", "y"], shuffle=False).batch(30)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(10, 32, activation="relu"), nn.Dense(32, 3)

    def construct(self, x):
        return self.out(drop(self.hidden(x), 0.3))


net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-2), metrics={"accuracy"})
model.train(2, train, dataset_sink_mode=False)
print(model.eval(test, dataset_sink_mode=False))
