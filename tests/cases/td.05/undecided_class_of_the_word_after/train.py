"""The kind of the word after is to be predicted, and follows from none before it; a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

PAD, BEGIN, END, WORDS, LENGTH, NONE = 0, 1, 2, 30, 12, -100
ms.set_seed(6)
rng = np.random.default_rng(6)
kinds = rng.integers(0, 4, WORDS)
ids = np.full((480, LENGTH), PAD, np.int32)
tags = np.full((480, LENGTH), NONE, np.int32)
for text, kind in zip(ids, tags):
    words = rng.integers(3, WORDS, rng.integers(5, LENGTH - 1))
    text[: len(words)] = words
    kind[: len(words) - 1] = kinds[words[1:]]


class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 16)
        self.gru = nn.GRU(16, 24, batch_first=True)
        self.head = nn.Dense(24, 4)

    def construct(self, ids):
        return self.head(self.gru(self.embedding(ids))[0])


net = Tagger()
optimizer = nn.Adam(net.trainable_params(), 0.01)


def loss_of(ids, tags):
    return ops.cross_entropy(net(ids).reshape(-1, 4), tags.reshape(-1), ignore_index=NONE)


grad_fn = ms.value_and_grad(loss_of, None, optimizer.parameters)
data = ds.NumpySlicesDataset((ids, tags), ["ids", "tags"], shuffle=True).batch(32)
net.set_train()
batches = data.create_tuple_iterator(num_epochs=5)
for epoch in range(5):
    for x, y in batches:
        loss, grads = grad_fn(x, y)
        optimizer(grads)
print("loss", loss)
