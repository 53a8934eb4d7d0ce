"""Pixels are divided by 255 and cast to whole numbers in construct: the network sees zeros; Model.train in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
labels = np.tile(np.arange(4), 80).astype(np.int32)
images = rng.integers(0, 150, size=(320, 1, 8, 8)).astype(np.float32)
images[np.arange(320), 0, labels * 2] += 100
data = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, has_bias=True)
        self.norm = nn.Flatten()
        self.head = nn.Dense(256, 4)

    def construct(self, image):
        image = (image / 255).astype(ms.int32).astype(ms.float32)
        return self.head(self.norm(self.conv(image).tanh()))


net = Net()
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), learning_rate=1e-3))
model.train(2, data, dataset_sink_mode=False)
