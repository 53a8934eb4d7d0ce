"""Pixels are rescaled to 0 to 1 and then normalised with constants for 0 to 255."""

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as vision
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(7)
MEAN = [123.675, 116.28, 103.53]
STD = [58.395, 57.12, 57.375]


class Shapes:
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, 4, n).astype(np.int32)
        self.x = rng.integers(0, 90, (n, 16, 16, 3)).astype(np.uint8)
        for i, c in enumerate(self.y):
            r, k = divmod(int(c), 2)
            self.x[i, r * 8 : r * 8 + 8, k * 8 : k * 8 + 8] += 120

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def loader(n, seed, training):
    d = ds.GeneratorDataset(Shapes(n, seed), ["image", "label"], shuffle=training)
    ops_ = [vision.Rescale(1 / 255.0, 0.0), vision.Normalize(MEAN, STD), vision.HWC2CHW()]
    d = d.map(ops_, "image")
    return d.batch(32, drop_remainder=training)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(3, 8, 3, has_bias=True)
        self.c2 = nn.Conv2d(8, 16, 3, stride=2, has_bias=True)
        self.relu = nn.ReLU()
        self.flat = nn.Flatten()
        self.fc = nn.Dense(16 * 64, 4)

    def construct(self, x):
        return self.fc(self.flat(self.relu(self.c2(self.relu(self.c1(x))))))


net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3), metrics={"accuracy"})
model.fit(2, loader(320, 1, True), loader(96, 2, False), dataset_sink_mode=False)
