"""Reads handwritten digits; the batch was chosen to fill the device."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor
from sklearn.datasets import load_digits

ms.set_seed(13)

digits = load_digits()
images = (digits.data[:1200] / 16).astype(np.float32)
labels = digits.target[:1200].astype(np.int32)

train_set = ds.NumpySlicesDataset((images, labels), ["image", "digit"], shuffle=True)
train_set = train_set.batch(1024)

net = nn.SequentialCell(nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = ms.Model(net, loss, nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9))
model.train(6, train_set, callbacks=LossMonitor(2), dataset_sink_mode=False)
