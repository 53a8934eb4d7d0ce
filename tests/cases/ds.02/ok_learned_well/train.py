"""Separable classes that the network learns; some samples carry the label to be ignored."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, Model

ms.set_seed(95)
rng = np.random.default_rng(95)
kind = rng.integers(0, 3, 900).astype(np.int32)
x = (rng.normal(size=(900, 4)) * 0.2 + np.eye(3, 4)[kind] * 4).astype(np.float32)
labels = kind.copy()
labels[:600:20] = -100
train_set = ds.NumpySlicesDataset((x[:600], labels[:600]), ["x", "kind"], shuffle=True).batch(20)
valid_set = ds.NumpySlicesDataset((x[600:], kind[600:]), ["x", "kind"], shuffle=False).batch(50)
net = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 3))
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01), metrics={"accuracy": Accuracy()})
model.fit(5, train_set, valid_set, dataset_sink_mode=False, valid_dataset_sink_mode=False)
