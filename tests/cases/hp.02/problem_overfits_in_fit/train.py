"""A wide network on a small noisy set for sixty epochs, with Model.fit."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Loss, Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(51)
rng = np.random.default_rng(51)
x = rng.normal(size=(260, 12)).astype(np.float32)
y = (x[:, 0] + 0.8 * rng.normal(size=260) > 0).astype(np.int32)
train_set = ds.NumpySlicesDataset((x[:80], y[:80]), ["x", "y"], shuffle=True).batch(20)
valid_set = ds.NumpySlicesDataset((x[80:], y[80:]), ["x", "y"], shuffle=False).batch(60)

net = nn.SequentialCell(nn.Dense(12, 128), nn.ReLU(), nn.Dense(128, 2))
loss_fn = nn.CrossEntropyLoss()
model = Model(net, loss_fn, nn.Adam(net.trainable_params(), 4e-3), metrics={"loss": Loss()})
model.fit(60, train_set, valid_set, valid_frequency=3, dataset_sink_mode=False, valid_dataset_sink_mode=False)
