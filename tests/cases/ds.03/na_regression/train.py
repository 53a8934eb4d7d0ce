"""Predicts the waiting time in a queue; the target is skewed but continuous."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(41)
rng = np.random.default_rng(41)
state = rng.normal(size=(500, 4)).astype(np.float32)
wait = np.exp(0.8 * state[:, :1] + 0.2 * rng.normal(size=(500, 1))).astype(np.float32)

train_set = ds.NumpySlicesDataset((state, wait), ["state", "wait"], shuffle=True).batch(25)
net = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 1))
model = ms.Model(net, nn.L1Loss(), nn.Adam(net.trainable_params(), learning_rate=0.01))
model.train(3, train_set, dataset_sink_mode=False)
print("longest wait", float(wait.max()))
