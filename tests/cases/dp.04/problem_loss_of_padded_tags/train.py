"""A tag for each word of short sentences that are filled up to thirty with 0; the loss counts every place."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(7)
rng = np.random.default_rng(7)
words, tags = np.zeros((256, 30), np.int32), np.zeros((256, 30), np.int32)
for row in range(256):
    n = rng.integers(3, 10)
    words[row, :n] = rng.integers(1, 40, n)
    tags[row, :n] = 1 + words[row, :n] % 4
sentences = ds.NumpySlicesDataset((words, tags), ["words", "tags"], shuffle=True).batch(16)


class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(40, 12, padding_idx=0)
        self.layers = nn.SequentialCell(nn.Dense(12, 24), nn.ReLU(), nn.Dense(24, 5))

    def construct(self, words):
        return self.layers(self.table(words))


class TagLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.entropy = nn.CrossEntropyLoss()

    def construct(self, scores, tags):
        return self.entropy(scores.reshape(-1, 5), tags.reshape(-1))


net = Tagger()
Model(net, TagLoss(), nn.Adam(net.trainable_params(), 1e-2)).train(3, sentences)
