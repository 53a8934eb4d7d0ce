"""Short sentences of ids, filled up to 120 behind, and a GRU's last step: what it read is forgotten; Model.train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(21)
rng = np.random.default_rng(21)
LONGEST = 120


class Sentences:
    def __init__(self, count):
        self.classes = rng.integers(0, 2, count).astype(np.int32)
        self.lengths = rng.integers(4, 12, count).astype(np.int32)

    def __getitem__(self, index):
        ids = np.random.default_rng(index).integers(3, 30, self.lengths[index])
        ids[:3] = 1 + self.classes[index]
        return np.pad(ids, (0, LONGEST - len(ids))).astype(np.int32), self.classes[index]

    def __len__(self):
        return len(self.classes)


class Reader(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(30, 8)
        self.gru = nn.GRU(8, 12, batch_first=True)
        self.head = nn.Dense(12, 2)

    def construct(self, ids):
        states, _ = self.gru(self.table(ids))
        return self.head(states[:, -1, :])


data = ds.GeneratorDataset(Sentences(320), ["ids", "class"], shuffle=True).batch(32)
net = Reader()
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.005))
model.train(4, data, dataset_sink_mode=False)
