"""Small pictures; all risky arguments are written out."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

parser = argparse.ArgumentParser()
parser.add_argument("--drop", type=float, default=0.1)
args = parser.parse_args()
ms.set_seed(15)
rng = np.random.default_rng(15)
labels = rng.integers(0, 3, 128).astype(np.int32)
images = (rng.normal(size=(128, 1, 8, 8)) * 0.3 + labels[:, None, None, None] - 1).astype(np.float32)
train_set = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(32)
net = nn.SequentialCell(
    nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1, has_bias=True),
    nn.BatchNorm2d(8, momentum=0.9),
    nn.LeakyReLU(alpha=0.01),
    nn.MaxPool2d(kernel_size=2, stride=2),
    nn.Flatten(),
    nn.Dropout(p=args.drop),
    nn.LayerNorm((128,), epsilon=1e-5),
    nn.GELU(approximate=False),
    nn.Dense(128, 3),
)
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3))
model.train(2, train_set, dataset_sink_mode=False)
