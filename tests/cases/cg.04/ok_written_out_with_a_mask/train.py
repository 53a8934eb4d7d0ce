"""A masked cross entropy of words, written out in the forward function with the logits flattened."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
words = rng.integers(1, 9, (64, 7)).astype(np.int32)
words[np.arange(7)[None] >= rng.integers(4, 8, 64)[:, None]] = 0
data = ds.NumpySlicesDataset((words,), ["words"], shuffle=True).batch(16)


class Language(nn.Cell):
    """The next word from the last one."""

    def __init__(self):
        super().__init__()
        self.embedding, self.out = nn.Embedding(9, 6), nn.Dense(6, 9)

    def construct(self, words):
        return self.out(ops.tanh(self.embedding(words)))


net = Language()
optimizer = nn.Adam(net.trainable_params(), 1e-2)


def forward(inputs, labels):
    logs = ops.log_softmax(net(inputs).reshape(-1, 9), -1)
    flat = labels.reshape(-1)
    mask = (flat != 0).astype(ms.float32)
    each = -ops.gather_elements(logs, 1, flat.expand_dims(1)).squeeze(1)
    return (each * mask).sum() / mask.sum()


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(3):
    for (rows,) in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(rows[:, :-1], rows[:, 1:])
        optimizer(grads)
    print(epoch, float(loss))
