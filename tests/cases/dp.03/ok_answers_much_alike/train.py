"""Answers to a form of two yes-or-no questions: most of them are the same; shuffled anew in each epoch."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(31)
rng = np.random.default_rng(31)
answers = (rng.uniform(size=(480, 2)) < 0.1).astype(np.float32)
bought = answers.max(axis=1).astype(np.int32)
train_set = ds.NumpySlicesDataset((answers, bought), ["answers", "bought"], shuffle=True).batch(24)
net = nn.SequentialCell(nn.Dense(2, 6), nn.Tanh(), nn.Dense(6, 2))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
ms.Model(net, loss, nn.Adam(net.trainable_params(), 0.02)).train(3, train_set)
