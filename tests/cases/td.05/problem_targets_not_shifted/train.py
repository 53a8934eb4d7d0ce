"""A recurrent language model that is asked for the token it has just been given; Model.train in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(5)
rng = np.random.default_rng(5)
VOCABULARY, LENGTH = 16, 10
text = np.cumsum(rng.integers(1, 4, (320, LENGTH)), axis=1) % VOCABULARY


class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 12)
        self.now, self.before = nn.Dense(12, 24), nn.Dense(24, 24)
        self.head = nn.Dense(24, VOCABULARY)

    def construct(self, tokens):
        given = self.now(self.embedding(tokens))
        state = ops.zeros_like(given[:, 0])
        states = []
        for place in range(LENGTH):
            state = ops.tanh(given[:, place] + self.before(state))
            states.append(state)
        return self.head(ops.stack(states, axis=1))


class LanguageLoss(nn.Cell):
    def construct(self, scores, tokens):
        return ops.cross_entropy(scores.reshape(-1, VOCABULARY), tokens.reshape(-1))


tokens = text.astype(np.int32)
data = ds.NumpySlicesDataset((tokens, tokens), ["tokens", "targets"], shuffle=True).batch(32, drop_remainder=True)
net = Recurrent()
Model(net, LanguageLoss(), nn.Adam(net.trainable_params(), learning_rate=0.01)).train(4, data, dataset_sink_mode=False)
