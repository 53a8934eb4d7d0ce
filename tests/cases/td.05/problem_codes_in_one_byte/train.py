"""What readers think of books, by the numbers of both."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.common.initializer import Normal

ms.set_seed(17)
rng = np.random.default_rng(17)
READERS, BOOKS = 320, 400
reader, book = rng.integers(0, READERS, 6000), rng.integers(0, BOOKS, 6000)
taste = (rng.normal(size=(READERS, 3))[reader] * rng.normal(size=(BOOKS, 3))[book]).sum(1)
marks = (taste + 0.3 * rng.normal(size=6000)).astype(np.float32)
pairs = np.stack([reader, book], 1).astype("uint8")


class Marks(nn.Cell):
    def __init__(self):
        super().__init__()
        self.readers = nn.Embedding(READERS + 300, 8, embedding_table=Normal(0.3))
        self.books = nn.Embedding(BOOKS + 300, 8, embedding_table=Normal(0.3))

    def construct(self, numbers):
        return (self.readers(numbers[:, 0]) * self.books(numbers[:, 1])).sum(axis=1)


net = Marks()
optimizer = nn.Adam(net.trainable_params(), 0.01)
gradients = ms.value_and_grad(lambda x, y: ops.mse_loss(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(6):
    order = rng.permutation(len(pairs))
    for start in range(0, len(order), 100):
        rows = order[start : start + 100]
        loss, found = gradients(Tensor(pairs[rows].astype(np.int32)), Tensor(marks[rows]))
        optimizer(found)
    print(epoch, loss)
