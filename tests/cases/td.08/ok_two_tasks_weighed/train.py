"""Classes, and centres at a weight of a hundredth: both are learnt; Model.train in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(7)
rng = np.random.default_rng(7)
inputs = rng.standard_normal((640, 10)).astype(np.float32)
kinds = (inputs[:, :3] + 0.1 * rng.standard_normal((640, 3))).argmax(1).astype(np.int32)
centres = (1 * (inputs @ rng.standard_normal((10, 2))) + 0.1 * rng.standard_normal((640, 2))).astype(np.float32)


class Heads(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU())
        self.kind, self.centre = nn.Dense(32, 3), nn.Dense(32, 2)
        self.classes, self.errors = nn.CrossEntropyLoss(), nn.MSELoss()

    def construct(self, x, kind, centre):
        hidden = self.body(x)
        of_kinds = self.classes(self.kind(hidden), kind)
        of_centres = self.errors(self.centre(hidden), centre)
        return of_kinds + 0.01 * of_centres


data = ds.NumpySlicesDataset((inputs, kinds, centres), ["x", "kind", "centre"], shuffle=True).batch(32, True)
net = Heads()
Model(net, None, nn.SGD(net.trainable_params(), learning_rate=0.3)).train(12, data, dataset_sink_mode=False)
