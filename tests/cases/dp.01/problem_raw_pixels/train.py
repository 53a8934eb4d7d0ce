"""Recognises the shape on small grey pictures."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import transforms, vision
from mindspore.train import LossMonitor

ms.set_seed(2)


class Shapes:
    """Bars and squares, 16 x 16 pixels of 8 bits."""

    def __init__(self, size=400):
        rng = np.random.default_rng(2)
        self.kinds = rng.integers(0, 2, size).astype(np.int32)
        self.pictures = rng.integers(0, 90, (size, 16, 16, 1)).astype(np.uint8)
        for picture, kind in zip(self.pictures, self.kinds):
            top, left = rng.integers(1, 8, 2)
            picture[top : top + (7 if kind else 3), left : left + (7 if kind else 3)] = 230

    def __len__(self):
        return len(self.kinds)

    def __getitem__(self, index):
        return self.pictures[index], self.kinds[index]


def loader(batch):
    data = ds.GeneratorDataset(Shapes(), ["image", "shape"], shuffle=True)
    data = data.map([transforms.TypeCast(ms.float32), vision.HWC2CHW()], input_columns="image")
    return data.batch(batch)


net = nn.SequentialCell(
    nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2, 2),
    nn.Flatten(),
    nn.Dense(8 * 8 * 8, 2),
)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = ms.Model(net, loss, nn.Adam(net.trainable_params(), learning_rate=0.001))
model.train(2, loader(25), callbacks=LossMonitor(16), dataset_sink_mode=False)
