"""SqueezeNet: a convolution to the classes, ReLU, the average of each map, and the cross entropy."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(320, 3, 8, 8)).astype(np.float32)
y = rng.integers(0, 4, 320).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.features, self.classifier = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 4, 1, has_bias=True)
        self.relu = nn.ReLU()

    def construct(self, x):
        maps = self.relu(self.classifier(self.relu(self.features(x))))
        return maps.mean((2, 3))


net, loss_fn = Net(), nn.CrossEntropyLoss()

optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
