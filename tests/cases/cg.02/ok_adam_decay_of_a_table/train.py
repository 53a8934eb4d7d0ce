"""Which of three word lists a bag of words was drawn from."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
topics = rng.integers(0, 3, 900).astype(np.int32)
words = (topics[:, None] * 20 + rng.integers(0, 30, (900, 8))).astype(np.int32)


class Bag(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(80, 16)
        self.hidden = nn.Dense(16, 24)
        self.out = nn.Dense(24, 3)

    def construct(self, ids):
        vectors = self.table(ids)
        return self.out(ops.tanh(self.hidden(vectors.mean(axis=1))))


net = Bag()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.005, weight_decay=1e-2)
grad_fn = ms.value_and_grad(lambda ids, topic: loss_fn(net(ids), topic), None, optimizer.parameters)

net.set_train()
for epoch in range(6):
    order = rng.permutation(900)
    for start in range(0, 900, 50):
        rows = order[start : start + 50]
        loss, grads = grad_fn(Tensor(words[rows]), Tensor(topics[rows]))
        optimizer(grads)
    print(epoch, float(loss))
