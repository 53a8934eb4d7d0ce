"""Queries and answers are embedded on the unit sphere; the loss compares all samples of a batch, as it should."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(7)
rng = np.random.default_rng(7)
hidden = rng.normal(size=(640, 5))
queries = (hidden @ rng.normal(size=(5, 14)) + 0.2 * rng.normal(size=(640, 14))).astype(np.float32)
answers = (np.tanh(hidden) @ rng.normal(size=(5, 14)) + 0.2 * rng.normal(size=(640, 14))).astype(np.float32)
pairs = ds.NumpySlicesDataset((queries, answers), ["query", "answer"], shuffle=True).batch(32)


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(14, 40), nn.ReLU(), nn.Dense(40, 12))

    def construct(self, x):
        z = self.layers(x)
        return z / (ops.norm(z, dim=1, keepdim=True) + 1e-6)


class Matching(nn.Cell):
    def __init__(self):
        super().__init__()
        self.query, self.answer = Encoder(), Encoder()
        self.loss = nn.CrossEntropyLoss()
        self.numbers = ms.Tensor(np.arange(32), ms.int32)

    def construct(self, query, answer):
        scores = ops.matmul(self.query(query), self.answer(answer).T) / 0.1
        return self.loss(scores, self.numbers)


net = Matching()
step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 3e-3))
step.set_train()
for epoch in range(3):
    for query, answer in pairs.create_tuple_iterator():
        loss = step(query, answer)
    print(epoch, loss)
