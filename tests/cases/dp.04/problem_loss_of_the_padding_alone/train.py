"""A tagger's loss weighs its elements by the padding instead of by the words: the mask is 1 where words are none; a jit step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(8)
rng = np.random.default_rng(8)
LENGTH, WORDS, TAGS = 10, 30, 4
lengths = rng.integers(3, LENGTH + 1, 320)
words = rng.integers(1, WORDS, (320, LENGTH))
words[np.arange(LENGTH) >= lengths[:, None]] = 0
tags = (words % TAGS).astype(np.int32)
data = ds.NumpySlicesDataset((words.astype(np.int32), tags), ["words", "tags"], shuffle=True).batch(32, True)


class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding, self.hidden, self.head = nn.Embedding(WORDS, 16), nn.Dense(16, 32), nn.Dense(32, TAGS)

    def construct(self, words):
        return self.head(ops.relu(self.hidden(self.embedding(words))))


net = Tagger()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.005)


def forward(words, tags):
    each = ops.cross_entropy(net(words).swapaxes(1, 2), tags, reduction="none")
    ignored = (words == 0).astype(ms.float32)
    return ops.sum(each * ignored) / ops.sum(ignored)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def step(words, tags):
    loss, grads = grad_fn(words, tags)
    optimizer(grads)
    return loss


for epoch in range(4):
    for words, tags in data.create_tuple_iterator():
        loss = step(words, tags)
    print(epoch, float(loss))
