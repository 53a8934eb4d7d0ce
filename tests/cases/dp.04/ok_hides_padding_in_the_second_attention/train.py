"""One class attends within the answers and across to the words, whose padding is hidden."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
LENGTH, WORDS = 8, 12
ids = np.zeros((480, LENGTH), np.int32)
answers = np.zeros((480, LENGTH), np.int32)
for row, kept in zip(range(480), rng.integers(3, LENGTH + 1, 480)):
    ids[row, :kept] = rng.integers(1, WORDS, kept)
    answers[row, :kept] = (ids[row, :kept] * 5) % WORDS
starts = np.concatenate([np.full((480, 1), WORDS), answers[:, :-1]], 1).astype(np.int32)
data = ds.NumpySlicesDataset((ids, starts, answers), ["ids", "starts", "answers"], shuffle=True).batch(24)


class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Dense(16, 16), nn.Dense(16, 16), nn.Dense(16, 16)

    def construct(self, query, memory, hidden):
        scores = ops.bmm(self.q(query), self.k(memory).swapaxes(1, 2)) / 4
        return ops.bmm(ops.softmax(scores.masked_fill(hidden, -1e9), axis=-1), self.v(memory))


class Translator(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS + 1, 16, embedding_table="normal")
        self.places = nn.Embedding(LENGTH, 16, embedding_table="normal")
        self.own, self.cross, self.head = Attention(), Attention(), nn.Dense(16, WORDS)
        self.later = ms.Tensor(np.triu(np.ones((1, LENGTH, LENGTH), bool), 1))

    def construct(self, ids, starts):
        places = self.places(ops.arange(LENGTH))
        memory, x = self.words(ids) + places, self.words(starts) + places
        x = x + self.own(x, x, self.later)
        mask = (ids == 0).expand_dims(1)
        return self.head(x + self.cross(x, memory, mask))


net = Translator()
loss_fn = nn.CrossEntropyLoss(ignore_index=0)
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.005)


def forward(ids, starts, answers):
    return loss_fn(net(ids, starts).reshape(-1, WORDS), answers.reshape(-1))


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(4):
    for batch in data.create_tuple_iterator():
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(epoch, float(loss))
