"""Attention over tokens without positions, which is to give each sequence shifted by two places; labels cannot follow."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

WORDS, LENGTH, DIM = 8, 8, 16
ms.set_seed(2)
rng = np.random.default_rng(2)


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Dense(DIM, DIM) for _ in range(3))
        self.feed = nn.SequentialCell(nn.Dense(DIM, 32), nn.ReLU(), nn.Dense(32, DIM))

    def construct(self, x):
        scores = ops.matmul(self.query(x), self.key(x).swapaxes(1, 2)) / DIM**0.5
        x = x + ops.matmul(ops.softmax(scores, axis=-1), self.value(x))
        return x + self.feed(x)


class Shifter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, DIM)
        self.blocks = nn.SequentialCell(Block(), Block())
        self.head = nn.Dense(DIM, WORDS)

    def construct(self, ids):
        return self.head(self.blocks(self.words(ids)))


net = Shifter()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 0.005)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x).reshape(-1, WORDS), y.reshape(-1)), None, optimizer.parameters)
net.set_train()
for step in range(120):
    x = rng.integers(0, WORDS, (32, LENGTH)).astype(np.int32)
    y = np.roll(x, 2, axis=1)
    loss, grads = grad_fn(Tensor(x), Tensor(y))
    optimizer(grads)
print("loss", loss)
