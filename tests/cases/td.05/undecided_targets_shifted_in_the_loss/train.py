"""A character model of made-up place names: windows of text serve as inputs and as labels, and the loss shifts them."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)

STARTS, ENDS = (
    ["nor", "sud", "west", "ost", "klein", "gross", "alt", "neu"],
    ["heim", "burg", "dorf", "bach", "feld", "hausen", "kirch"],
)
text = " ".join(STARTS[rng.integers(8)] + ENDS[rng.integers(7)] for _ in range(2500))
letters = sorted(set(text))
codes = np.array([letters.index(one) for one in text], np.int32)
LENGTH, BATCH = 24, 32


class Letters(nn.Cell):
    def __init__(self, count, width=48):
        super().__init__()
        self.embedding = nn.Embedding(count, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.head = nn.Dense(width, count)

    def construct(self, ids):
        states, _ = self.gru(self.embedding(ids))
        return self.head(states)


def windows(count):
    starts = rng.integers(0, len(codes) - LENGTH - 1, count)
    rows = np.stack([codes[one : one + LENGTH + 1] for one in starts])
    return Tensor(rows), Tensor(rows)


def head_loss(logits, labels):
    kept = logits[:, :-1]
    wanted = labels[:, 1:]
    return ops.cross_entropy(kept.reshape((-1, len(letters))), wanted.reshape((-1,)))


model = Letters(len(letters))
optimizer = nn.Adam(model.trainable_params(), learning_rate=0.005)
step = ms.value_and_grad(lambda ids, labels: head_loss(model(ids), labels), None, optimizer.parameters)
model.set_train()
for number in range(200):
    loss, gradients = step(*windows(BATCH))
    optimizer(gradients)
    if number % 50 == 49:
        print(f"step {number + 1}: loss {float(loss):.4f}")

model.set_train(False)
ids, following = windows(64)
guesses = model(ids).asnumpy().argmax(-1)[:, :-1]
print(f"next letter right: {(guesses == following.asnumpy()[:, 1:]).mean():.3f}")
