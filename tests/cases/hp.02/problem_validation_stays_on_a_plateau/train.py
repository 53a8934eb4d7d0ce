"""Sixty samples with noisy labels are learnt by heart; the accuracy on new ones never gets anywhere, and never turns."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, Model

ms.set_seed(21)
rng = np.random.default_rng(21)
x = rng.normal(size=(360, 30)).astype(np.float32)
y = ((x[:, 0] + 1.2 * rng.normal(size=360)) > 0).astype(np.int32)
train_set = ds.NumpySlicesDataset((x[:60], y[:60]), ["x", "y"], shuffle=True).batch(20)
valid_set = ds.NumpySlicesDataset((x[60:], y[60:]), ["x", "y"], shuffle=False).batch(100)

net = nn.SequentialCell(nn.Dense(30, 96), nn.ReLU(), nn.Dense(96, 2))
optimizer = nn.Adam(net.trainable_params(), 5e-3)
model = Model(net, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy": Accuracy()})
model.fit(50, train_set, valid_set, valid_frequency=5, dataset_sink_mode=False, valid_dataset_sink_mode=False)  # here
