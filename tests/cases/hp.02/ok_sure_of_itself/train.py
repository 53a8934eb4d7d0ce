"""The training loss is next to nothing and nine of ten new samples are right: a gap between losses is no fault by itself."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, Loss, Model

ms.set_seed(23)
rng = np.random.default_rng(23)
centres = 1.7 * rng.normal(size=(6, 12))
y = rng.integers(0, 6, 700).astype(np.int32)
x = (centres[y] + 1.2 * rng.normal(size=(700, 12))).astype(np.float32)
train_set = ds.NumpySlicesDataset((x[:300], y[:300]), ["x", "y"], shuffle=True).batch(30)
valid_set = ds.NumpySlicesDataset((x[300:], y[300:]), ["x", "y"], shuffle=False).batch(100)

net = nn.SequentialCell(nn.Dense(12, 64), nn.ReLU(), nn.Dense(64, 6))
metrics = {"accuracy": Accuracy(), "loss": Loss()}
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 5e-3), metrics=metrics)
stop = ms.train.EarlyStopping(monitor="accuracy", patience=50, restore_best_weights=False)
model.fit(25, train_set, valid_set, callbacks=[stop], dataset_sink_mode=False, valid_dataset_sink_mode=False)
