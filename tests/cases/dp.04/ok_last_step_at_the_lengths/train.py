"""Short sentences of ids, filled up behind, and a GRU that is told their lengths; a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(21)
rng = np.random.default_rng(21)
LONGEST = 40


class Sentences:
    def __init__(self, count):
        self.classes = rng.integers(0, 2, count).astype(np.int32)
        self.lengths = rng.integers(4, 12, count).astype(np.int32)

    def __getitem__(self, index):
        ids = np.random.default_rng(index).integers(3, 30, self.lengths[index])
        ids[:3] = 1 + self.classes[index]
        return np.pad(ids, (0, LONGEST - len(ids))).astype(np.int32), self.lengths[index], self.classes[index]

    def __len__(self):
        return len(self.classes)


class Reader(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(30, 8)
        self.gru = nn.GRU(8, 12, batch_first=True)
        self.head = nn.Dense(12, 2)

    def construct(self, ids, lengths):
        _, last = self.gru(self.table(ids), None, lengths)
        return self.head(last[-1])


data = ds.GeneratorDataset(Sentences(320), ["ids", "lengths", "class"], shuffle=True).batch(32)
net = Reader()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 0.01)
grad_fn = ms.value_and_grad(lambda ids, lengths, t: loss_fn(net(ids, lengths), t), None, optimizer.parameters)
for _ in range(4):
    for ids, lengths, target in data.create_tuple_iterator():
        loss, grads = grad_fn(ids, lengths, target)
        optimizer(grads)
    print(float(loss))
