"""A backbone is frozen weight by weight for a first stage, and set free for the second by an attribute of the cell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(41)
rng = np.random.default_rng(41)
x = rng.normal(size=(600, 8)).astype(np.float32)
y = ((x[:, 0] * x[:, 1] > 0) + 2 * (x[:, 2] > 0)).astype(np.int32)


class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.backbone = nn.SequentialCell(nn.Dense(8, 32), nn.Tanh(), nn.Dense(32, 16), nn.Tanh())
        self.head = nn.Dense(16, 4)

    def construct(self, x):
        return self.head(self.backbone(x))


def data():
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(30)


def fit(net, epochs, rate):
    optimizer = nn.Adam(net.trainable_params(), rate)
    model = Model(net, nn.CrossEntropyLoss(), optimizer, metrics={"acc"})
    model.train(epochs, data(), dataset_sink_mode=False)
    return model.eval(data(), dataset_sink_mode=False)


net = Tagger()
fit(net, 3, 0.01)
for parameter in net.backbone.get_parameters():
    parameter.requires_grad = False
net.head = nn.Dense(16, 4)
print("head alone", fit(net, 5, 0.01))

net.backbone.requires_grad = True
print("all", fit(net, 15, 0.005))
