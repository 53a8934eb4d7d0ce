"""Writes a sum of three digits behind it, letter by letter; the mask of the attention is the upper triangle."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
WORDS, QUESTION, ANSWER = 13, 6, 6
PLUS, IS, STOP = 10, 11, 12


def sums(count):
    terms = rng.integers(0, 10, (count, 3))
    total = terms.sum(1)
    plus, equals = np.full(count, PLUS), np.full(count, IS)
    said = [terms[:, 0], plus, terms[:, 1], plus, terms[:, 2], equals]
    answer = [total // 10, total % 10, total % 7, total % 5, total % 3, np.full(count, STOP)]
    return np.stack([*said, *answer], 1).astype(np.int32)


class Writer(nn.Cell):
    def __init__(self, width=32):
        super().__init__()
        length = QUESTION + ANSWER - 1
        self.letters, self.places = nn.Embedding(WORDS, width), nn.Embedding(length, width)
        self.ask, self.offer, self.give = (nn.Dense(width, width) for _ in range(3))
        self.end = nn.SequentialCell(nn.Dense(width, 64), nn.ReLU(), nn.Dense(64, WORDS))
        self.where = Tensor(np.arange(length)[None], ms.int32)
        seen = np.triu(np.ones((length, length), np.float32))
        self.hidden = Tensor((1 - seen) * -1e9)

    def construct(self, tokens):
        x = self.letters(tokens) + self.places(self.where)
        scores = ops.matmul(self.ask(x), self.offer(x).swapaxes(1, 2)) / 5.6 + self.hidden
        return self.end(x + ops.matmul(ops.softmax(scores, -1), self.give(x)))


class AnswerLoss(nn.Cell):
    def __init__(self, writer):
        super().__init__()
        self.writer = writer

    def construct(self, tokens):
        logits = self.writer(tokens[:, :-1])[:, QUESTION - 1 :]
        return ops.cross_entropy(logits.reshape(-1, WORDS), tokens[:, QUESTION:].reshape(-1))


writer = Writer()
step = nn.TrainOneStepCell(AnswerLoss(writer), nn.Adam(writer.trainable_params(), learning_rate=3e-3))
step.set_train()
for number in range(80):
    loss = step(Tensor(sums(32)))
    if number % 20 == 0:
        print(number, loss)
