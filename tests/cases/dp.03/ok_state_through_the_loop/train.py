"""A character model over one text: the windows follow each other, and the state of one step is the start of the next."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(3)
BATCH, STEPS = 8, 12
rng = np.random.default_rng(3)
words = [rng.integers(1, 20, 5) for _ in range(6)]
text = np.concatenate([words[i] for i in rng.integers(0, 6, 400)]).astype(np.int32)
rows = text[: len(text) // BATCH * BATCH].reshape(BATCH, -1)


class Model(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.rnn = nn.RNN(16, 32, batch_first=True)
        self.head = nn.Dense(32, 20)

    def construct(self, ids, state):
        out, state = self.rnn(self.embed(ids), state)
        return self.head(out), state


net = Model()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 5e-3)


def forward(ids, after, state):
    logits, state = net(ids, state)
    return loss_fn(logits.reshape(-1, 20), after.reshape(-1)), ops.stop_gradient(state)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)


def train_step(ids, after, hidden):
    (loss, hidden), grads = grad_fn(ids, after, hidden)
    optimizer(ops.clip_by_global_norm(grads, 1.0))
    return loss, hidden


net.set_train()
for epoch in range(3):
    hidden = ops.zeros((1, BATCH, 32), ms.float32)
    for first in range(0, rows.shape[1] - STEPS - 1, STEPS):
        x = ms.Tensor(rows[:, first : first + STEPS])
        y = ms.Tensor(rows[:, first + 1 : first + STEPS + 1])
        loss, hidden = train_step(x, y, hidden)
    print(epoch, loss)
