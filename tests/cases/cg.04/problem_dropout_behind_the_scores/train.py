"""Digits read by a small convolutional network whose blocks all have the same three parts."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits

ms.set_seed(7)
images, digits = load_digits(return_X_y=True)
images = (images / 16).astype(np.float32).reshape(-1, 1, 8, 8)
digits = digits.astype(np.int32)


def block(layer, rate):
    return [layer, nn.ReLU(), nn.Dropout(p=rate)]


parts = block(nn.Conv2d(1, 16, 3), 0.2)
parts += [nn.MaxPool2d(2, 2), nn.Flatten()]
parts += block(nn.Dense(256, 48), 0.3)
parts += [nn.Dense(48, 10), nn.Dropout(p=0.5)]
network = nn.SequentialCell(parts)

source = ds.NumpySlicesDataset((images[:1300], digits[:1300]), ["image", "digit"], shuffle=True).batch(50)
model = ms.Model(network, nn.CrossEntropyLoss(), nn.Adam(network.trainable_params(), 1e-3), metrics={"accuracy"})
model.train(5, source, callbacks=ms.LossMonitor(26), dataset_sink_mode=False)
held_out = ds.NumpySlicesDataset((images[1300:], digits[1300:]), ["image", "digit"], shuffle=False).batch(100)
print(model.eval(held_out, dataset_sink_mode=False))
