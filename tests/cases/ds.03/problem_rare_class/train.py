"""Finds defective parts from vibration features."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor
from sklearn.datasets import make_classification

ms.set_seed(3)

x, y = make_classification(
    n_samples=1050, n_features=10, n_informative=6, weights=[0.955, 0.045], flip_y=0, class_sep=1.5, random_state=3
)
x = ((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32)
y = y.astype(np.int32)

train_set = ds.NumpySlicesDataset({"vibration": x[:840], "defect": y[:840]}, shuffle=True).batch(28)
test_set = ds.NumpySlicesDataset({"vibration": x[840:], "defect": y[840:]}, shuffle=False).batch(30)

net = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU(), nn.Dense(32, 2))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)
model = ms.Model(net, loss, optimizer, metrics={"accuracy"})
model.fit(3, train_set, test_set, callbacks=[LossMonitor(30)], dataset_sink_mode=False, valid_dataset_sink_mode=False)
