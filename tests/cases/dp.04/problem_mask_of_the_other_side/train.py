"""Sentences padded on the right; the mask was written for padding in front."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(71)
LENGTH, WORDS = 12, 60


class Sentences:
    def __init__(self, size=240):
        rng = np.random.default_rng(71)
        self.mood = rng.integers(0, 2, size).astype(np.int32)
        self.words = [rng.integers(1 + 20 * m, WORDS - 20 + 20 * m, rng.integers(4, LENGTH + 1)) for m in self.mood]

    def __len__(self):
        return len(self.mood)

    def __getitem__(self, index):
        words = self.words[index]
        missing = LENGTH - len(words)
        ids = np.concatenate([words, np.zeros(missing)]).astype(np.int32)
        mask = np.concatenate([np.zeros(missing), np.ones(len(words))]).astype(np.float32)
        return ids, mask, self.mood[index]


class Judge(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(WORDS, 8)
        self.head = nn.Dense(8, 2)

    def construct(self, ids, mask):
        weight = mask.expand_dims(-1)
        return self.head((self.table(ids) * weight).sum(axis=1) / weight.sum(axis=1))


net = Judge()
loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01)


def forward(ids, mask, mood):
    return loss_fn(net(ids, mask), mood)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
data = ds.GeneratorDataset(Sentences(), ["ids", "mask", "mood"], shuffle=True).batch(24)
net.set_train()
for ids, mask, mood in data.create_tuple_iterator():
    loss, grads = grad_fn(ids, mask, mood)
    optimizer(grads)
print(float(loss))
