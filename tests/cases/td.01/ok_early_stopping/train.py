"""Stops as soon as the validation no longer improves, and keeps the best weights."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, EarlyStopping, Loss, Model

ms.set_seed(4)
rng = np.random.default_rng(4)
x = rng.normal(size=(400, 20)).astype(np.float32)
y = (x[:, 0] + 0.5 * x[:, 1] + rng.normal(size=400) > 0).astype(np.int32)
train_set = ds.NumpySlicesDataset((x[:240], y[:240]), ["x", "y"], shuffle=True).batch(24)
valid_set = ds.NumpySlicesDataset((x[240:], y[240:]), ["x", "y"], shuffle=False).batch(40)
net = nn.SequentialCell(nn.Dense(20, 32), nn.ReLU(), nn.Dense(32, 2))
metrics = {"loss": Loss(), "accuracy": Accuracy()}
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01), metrics=metrics)
stop = EarlyStopping(monitor="eval_loss", patience=3, restore_best_weights=True)
model.fit(40, train_set, valid_set, callbacks=[stop], dataset_sink_mode=False, valid_dataset_sink_mode=False)
