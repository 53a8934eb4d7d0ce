"""Fine-tunes with Model.train from a checkpoint whose names lack the prefix of the new wrapper."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(41)
rng = np.random.default_rng(41)
x = rng.normal(size=(400, 8)).astype(np.float32)
y = (x[:, 0] * x[:, 1] > 0).astype(np.int32)


class Trunk(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(8, 16)
        self.second = nn.Dense(16, 16)
        self.act = nn.ReLU()

    def construct(self, x):
        return self.act(self.second(self.act(self.first(x))))


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.trunk = Trunk()
        self.head = nn.Dense(16, 2)

    def construct(self, x):
        return self.head(self.trunk(x))


ms.save_checkpoint(Trunk(), "trunk.ckpt")  # stands for the file that was downloaded

net = Classifier()
weights = ms.load_checkpoint("trunk.ckpt")
ms.load_param_into_net(net, weights)
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9))
model.train(2, ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40), dataset_sink_mode=False)
