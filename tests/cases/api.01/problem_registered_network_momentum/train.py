"""Digits with a network of a registry by its name."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model
from sklearn.datasets import load_digits
from zoo import create_network

parser = argparse.ArgumentParser()
parser.add_argument("--network", default="small")
args = parser.parse_args()
ms.set_seed(4)

digits = load_digits()
images = (digits.images[:, None] / 8.0 - 1.0).astype(np.float32)
train_set = ds.NumpySlicesDataset((images, digits.target.astype(np.int32)), ["image", "label"], shuffle=True).batch(64)

net = create_network(args.network, classes=10)
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.02, momentum=0.9)
model = Model(net, nn.CrossEntropyLoss(), optimizer)
model.train(2, train_set, callbacks=[LossMonitor(28)], dataset_sink_mode=False)
