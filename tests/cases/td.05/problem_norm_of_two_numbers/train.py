"""Layer normalisation of the two numbers of a point before the first layer; Model.train in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(95)
rng = np.random.default_rng(95)
point = rng.normal(size=(900, 2)).astype(np.float32)
ring = (np.linalg.norm(point, axis=1) > 1.2).astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = nn.LayerNorm((2,))
        self.one, self.two = nn.Dense(2, 32), nn.Dense(32, 2)
        self.act = nn.ReLU()

    def construct(self, point):
        return self.two(self.act(self.one(self.scale(point))))


data = ds.NumpySlicesDataset((point, ring), ["point", "ring"], shuffle=True).batch(30)
net = Net()
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.005))
model.train(12, data, dataset_sink_mode=False)
