"""A pipeline that moves the channels to the front in training, with numpy, and by HWC2CHW for the test."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import vision
from mindspore.train import Model

ms.set_seed(8)


class Flags:
    def __init__(self, n, seed):
        rng = np.random.RandomState(seed)
        self.kinds = rng.randint(0, 2, n).astype(np.int32)
        self.pictures = rng.randint(0, 60, (n, 10, 12, 3)).astype(np.float32)
        for picture, kind in zip(self.pictures, self.kinds):
            picture[kind * 5 : kind * 5 + 5, :, 0] += 190

    def __getitem__(self, i):
        return self.pictures[i], self.kinds[i]

    def __len__(self):
        return len(self.kinds)


def training_set():
    data = ds.GeneratorDataset(Flags(256, 0), ["picture", "kind"], shuffle=True)
    data = data.map(lambda picture: np.moveaxis(picture / 255, 2, 0), "picture")
    return data.batch(32)


def test_set():
    data = ds.GeneratorDataset(Flags(128, 1), ["picture", "kind"], shuffle=False)
    data = data.map([vision.Rescale(1 / 255, 0), vision.HWC2CHW()], "picture")
    return data.batch(32)


net = nn.SequentialCell(nn.Conv2d(3, 6, 3), nn.ReLU(), nn.AvgPool2d(2, 2), nn.Flatten(), nn.Dense(6 * 30, 2))
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 3e-3), metrics={"accuracy"})
model.train(3, training_set())
print(model.eval(test_set()))
