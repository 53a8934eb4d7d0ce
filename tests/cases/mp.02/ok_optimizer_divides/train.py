"""Digits in mixed precision with Model and a fixed loss scale."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model
from sklearn.datasets import load_digits

ms.set_seed(74)

SCALE = 1024.0

digits = load_digits()
images = (digits.images[:, None] / 8.0 - 1.0).astype(np.float32)
train_set = ds.NumpySlicesDataset((images, digits.target.astype(np.int32)), ["image", "label"], shuffle=True).batch(32)

net = nn.SequentialCell(
    nn.Conv2d(1, 8, 3, pad_mode="same"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(128, 10)
)
manager = ms.FixedLossScaleManager(SCALE, drop_overflow_update=False)
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.02, momentum=0.9, loss_scale=SCALE)
model = Model(net, nn.CrossEntropyLoss(), optimizer, amp_level="O2", loss_scale_manager=manager)
model.train(2, train_set, callbacks=[LossMonitor(57)], dataset_sink_mode=False)
