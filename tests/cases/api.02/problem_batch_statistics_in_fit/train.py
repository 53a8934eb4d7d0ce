"""Digits with a small convolutional net, validated by Model.fit after each epoch."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, Model
from network import DigitNet
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

ms.set_seed(5)

digits = load_digits()
images = (digits.images[:, None] / 8.0 - 1.0).astype(np.float32)
labels = digits.target.astype(np.int32)
x_train, x_val, y_train, y_val = train_test_split(images, labels, test_size=0.25, random_state=5, stratify=labels)
train_set = ds.NumpySlicesDataset((x_train, y_train), ["image", "label"], shuffle=True).batch(32, drop_remainder=True)
val_set = ds.NumpySlicesDataset((x_val, y_val), ["image", "label"], shuffle=False).batch(50)

net = DigitNet()
model = Model(
    net,
    nn.CrossEntropyLoss(),
    nn.Adam(net.trainable_params(), learning_rate=2e-3),
    metrics={"accuracy": Accuracy()},
)
model.fit(2, train_set, val_set, dataset_sink_mode=False)
print("validation", model.eval(val_set, dataset_sink_mode=False))
