"""Digits with a convolutional encoder and a linear head, Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model
from sklearn.datasets import load_digits

ms.set_seed(31)

digits = load_digits()
images = (digits.images[:, None] / 8.0 - 1.0).astype(np.float32)
labels = digits.target.astype(np.int32)
train_set = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(32)


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = nn.SequentialCell(
            nn.Conv2d(1, 8, 3, pad_mode="same"), nn.ReLU(), nn.MaxPool2d(2, 2),
            nn.Conv2d(8, 16, 3, pad_mode="same"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
        )  # fmt: skip
        self.head = nn.Dense(64, 10)

    def construct(self, image):
        return self.head(self.encoder(image))


net = Classifier()
optimizer = nn.Adam(net.head.trainable_params(), learning_rate=5e-3)
model = Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(3, train_set, callbacks=[LossMonitor(60)], dataset_sink_mode=False)
