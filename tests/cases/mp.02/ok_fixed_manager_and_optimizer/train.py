"""Digits with Model.fit and a static loss scale; manager and optimizer carry the same number."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model
from sklearn.datasets import load_digits

LOSS_SCALE = 1024.0
ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(8)

digits = load_digits()
pixels = (digits.data / 16.0).astype(np.float32)
labels = digits.target.astype(np.int32)
train_set = ds.NumpySlicesDataset((pixels[:1200], labels[:1200]), ["pixels", "label"], shuffle=True).batch(32)
valid_set = ds.NumpySlicesDataset((pixels[1200:], labels[1200:]), ["pixels", "label"], shuffle=False).batch(32)

net = nn.SequentialCell(nn.Dense(64, 48), nn.ReLU(), nn.Dense(48, 10)).to_float(ms.float16)
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9, loss_scale=LOSS_SCALE)
manager = ms.amp.FixedLossScaleManager(LOSS_SCALE, drop_overflow_update=False)
model = Model(net, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"}, loss_scale_manager=manager)
model.fit(2, train_set, valid_set, dataset_sink_mode=False)
