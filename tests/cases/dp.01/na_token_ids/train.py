"""Judges comments by the ids of their words."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor

ms.set_seed(17)
VOCABULARY, LENGTH = 2000, 12


class Comments:
    def __init__(self, size=480):
        rng = np.random.default_rng(17)
        self.mood = rng.integers(0, 2, size).astype(np.int32)
        self.words = rng.integers(0, VOCABULARY // 2, (size, LENGTH)).astype(np.int32)
        self.words[:, :8] += self.mood[:, None] * (VOCABULARY // 2)

    def __len__(self):
        return len(self.mood)

    def __getitem__(self, index):
        return self.words[index], self.mood[index]


class Judge(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(VOCABULARY, 16)
        self.head = nn.Dense(16, 2)

    def construct(self, words):
        return self.head(self.table(words).mean(axis=1))


train_set = ds.GeneratorDataset(Comments(), ["words", "mood"], shuffle=True).batch(24)
net = Judge()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), learning_rate=0.01))
model.train(2, train_set, callbacks=LossMonitor(20), dataset_sink_mode=False)
