"""Residual net on the digits: zero biases, the last norm of each block starts with gamma zero (as in ResNet)."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import LossMonitor, Model
from sklearn.datasets import load_digits

ms.set_seed(47)

digits = load_digits()
images = (digits.images[:, None] / 8.0 - 1.0).astype(np.float32)
train_set = ds.NumpySlicesDataset((images, digits.target.astype(np.int32)), ["image", "label"], shuffle=True).batch(
    64, drop_remainder=True
)


class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.branch = nn.SequentialCell(
            nn.Conv2d(width, width, 3, pad_mode="same"),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, pad_mode="same"),
            nn.BatchNorm2d(width, gamma_init="zeros"),
        )

    def construct(self, x):
        return ops.relu(x + self.branch(x))


net = nn.SequentialCell(
    nn.Conv2d(1, 8, 3, pad_mode="same", has_bias=True, bias_init="zeros"),
    Block(8),
    nn.MaxPool2d(2, 2),
    nn.Flatten(),
    nn.Dense(128, 10, bias_init="zeros"),
)
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), learning_rate=3e-3))
model.train(2, train_set, callbacks=[LossMonitor(28)], dataset_sink_mode=False)
