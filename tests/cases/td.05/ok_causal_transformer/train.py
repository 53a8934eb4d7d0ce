"""A causal transformer with its mask and dropout predicts the next token."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
VOCABULARY, LENGTH = 18, 12
text = (1 + np.cumsum(rng.integers(1, 4, (320, LENGTH + 1)), axis=1) % (VOCABULARY - 1)).astype(np.int32)


class Attention(nn.Cell):
    def __init__(self, causal):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 16)
        self.query, self.key, self.value = nn.Dense(16, 16), nn.Dense(16, 16), nn.Dense(16, 16)
        self.norm, self.dropout, self.head = nn.LayerNorm((16,)), nn.Dropout(p=0.1), nn.Dense(16, VOCABULARY)
        self.mask = Tensor(np.triu(np.full((LENGTH, LENGTH), -1e4, np.float32), 1) * causal)

    def construct(self, tokens):
        hidden = self.embedding(tokens)
        scores = ops.matmul(self.query(hidden), self.key(hidden).swapaxes(1, 2)) / 4
        mixed = ops.matmul(ops.softmax(scores + self.mask, axis=-1), self.value(hidden))
        return self.head(self.dropout(self.norm(hidden + mixed)))


def train(net, columns):
    data = ds.NumpySlicesDataset(columns, ["tokens", "targets"], shuffle=True).batch(32, drop_remainder=True)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)

    def forward(tokens, targets):
        return ops.cross_entropy(net(tokens).reshape(-1, VOCABULARY), targets.reshape(-1))

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
    net.set_train()
    for epoch in range(3):
        for tokens, targets in data.create_tuple_iterator():
            loss, grads = grad_fn(tokens, targets)
            optimizer(grads)
        print(epoch, float(loss))


train(Attention(causal=True), (text[:, :-1], text[:, 1:]))
