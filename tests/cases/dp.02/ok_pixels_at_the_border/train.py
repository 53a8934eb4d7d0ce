"""Digits as rows of 64 pixels, split at random: some pixels at the border are lit in a handful of pictures only."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

ms.set_seed(1)
digits = load_digits()
pixels = (digits.data / 16.0).astype(np.float32)
x_train, x_test, y_train, y_test = train_test_split(
    pixels, digits.target.astype(np.int32), test_size=0.2, random_state=0
)
train_set = ds.NumpySlicesDataset({"image": x_train, "label": y_train}, shuffle=True).batch(32)
test_set = ds.NumpySlicesDataset({"image": x_test, "label": y_test}, shuffle=False).batch(32)

network = nn.SequentialCell(nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10))
model = ms.Model(network, nn.CrossEntropyLoss(), nn.Adam(network.trainable_params(), 0.003), metrics={"accuracy"})
model.train(4, train_set, dataset_sink_mode=False)
print(model.eval(test_set, dataset_sink_mode=False))
