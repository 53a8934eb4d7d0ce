"""Padding in front with a reserved id, and a key-padding mask whose ones mark the padding; a compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(74)
PAD, LENGTH = 1, 10
rng = np.random.default_rng(74)
kind = rng.integers(0, 2, 240).astype(np.int32)
ids = np.full((240, LENGTH), PAD, np.int32)
for row, k in enumerate(kind):
    length = rng.integers(3, LENGTH + 1)
    ids[row, LENGTH - length :] = rng.integers(2 + 15 * k, 25 + 15 * k, length)
padding_mask = (ids == PAD).astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(40, 8)
        self.head = nn.Dense(8, 2)

    def construct(self, ids, padding_mask):
        kept = (1 - padding_mask).astype(ms.float32).expand_dims(-1)
        return self.head((self.table(ids) * kept).sum(axis=1) / kept.sum(axis=1))


net = Net()
loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01)


def forward(ids, padding_mask, kind):
    return loss_fn(net(ids, padding_mask), kind)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def step(ids, padding_mask, kind):
    loss, grads = grad_fn(ids, padding_mask, kind)
    return ops.depend(loss, optimizer(grads))


data = ds.NumpySlicesDataset((ids, padding_mask, kind), ["ids", "padding_mask", "kind"], shuffle=True).batch(24)
net.set_train()
for columns in data.create_tuple_iterator():
    loss = step(*columns)
print(float(loss))
