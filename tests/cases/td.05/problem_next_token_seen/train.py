"""A language model of convolutions, whose padding lets each place see the token after it; a functional loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(2)
rng = np.random.default_rng(2)
VOCABULARY, LENGTH = 20, 12
text = np.cumsum(rng.integers(1, 4, (320, LENGTH + 1)), axis=1) % VOCABULARY


class Model(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 16)
        self.conv = nn.Conv1d(16, 24, 3, pad_mode="same", has_bias=True)
        self.head = nn.Dense(24, VOCABULARY)

    def construct(self, tokens):
        hidden = self.embedding(tokens).swapaxes(1, 2)
        hidden = ops.relu(self.conv(hidden))
        return self.head(hidden.swapaxes(1, 2))


data = ds.NumpySlicesDataset({"tokens": text.astype(np.int32)}, shuffle=True).batch(32, drop_remainder=True)
model = Model()
optimizer = nn.Adam(model.trainable_params(), learning_rate=0.01)


def forward(tokens):
    scores = model(tokens[:, :-1])
    return ops.cross_entropy(scores.reshape(-1, VOCABULARY), tokens[:, 1:].reshape(-1))


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
model.set_train()
for epoch in range(4):
    for (tokens,) in data.create_tuple_iterator():
        loss, grads = grad_fn(tokens)
        optimizer(grads)
    print(epoch, float(loss))
