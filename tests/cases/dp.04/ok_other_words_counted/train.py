"""Names are tagged in sentences whose other words are tag 0; the places behind the end are -1, which the loss leaves out."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(21)
rng = np.random.default_rng(21)
LENGTH, WORDS = 18, 60


def sentences(count):
    words, tags = np.zeros((count, LENGTH), np.int32), np.full((count, LENGTH), -1, np.int32)
    for row in range(count):
        n = rng.integers(7, LENGTH + 1)
        words[row, :n], tags[row, :n] = rng.integers(1, WORDS, n), 0
        for kind in (1, 2):
            at = rng.integers(n - 1)
            words[row, at], tags[row, at] = kind, 0  # the title before a name of this kind
            words[row, at + 1], tags[row, at + 1] = rng.integers(40, WORDS), kind
    return words, tags


class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(WORDS, 16, padding_idx=0)
        self.beside = nn.Conv1d(16, 32, 3, has_bias=True)
        self.scores = nn.Dense(32, 3)

    def construct(self, words):
        near = self.beside(self.table(words).swapaxes(1, 2)).swapaxes(1, 2)
        return self.scores(ops.relu(near))


net = Tagger()
optimizer = nn.Adam(net.trainable_params(), 5e-3)


def forward(words, tags):
    return ops.cross_entropy(net(words).reshape(-1, 3), tags.reshape(-1), ignore_index=-1)


step = ms.value_and_grad(forward, None, optimizer.parameters)
words, tags = sentences(400)
for _ in range(5):
    order = rng.permutation(400)
    for at in range(0, 400, 40):
        rows = order[at : at + 40]
        loss, grads = step(ms.Tensor(words[rows]), ms.Tensor(tags[rows]))
        optimizer(grads)
    print(float(loss))
words, tags = sentences(100)
found = net(ms.Tensor(words)).asnumpy().argmax(-1)
print("tag accuracy", (found == tags)[words > 0].mean())
