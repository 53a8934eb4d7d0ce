"""The same cell keeps its state between the parts of one sequence, and clears it before the next; shuffled sequences."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(9)
rng = np.random.default_rng(9)
series = rng.normal(size=(320, 12, 3)).astype(np.float32)
label = (series[:, :, 0].sum(1) > 0).astype(np.int32)
data = ds.NumpySlicesDataset((series, label), ["series", "label"], shuffle=True).batch(16)


class Reader(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.GRUCell(3, 12), nn.Dense(12, 2)
        self.h = ops.zeros((16, 12), ms.float32)

    def clear(self):
        self.h = ops.zeros((16, 12), ms.float32)

    def construct(self, part):
        h = self.h
        for t in range(part.shape[1]):
            h = self.cell(part[:, t], h)
        self.h = ops.stop_gradient(h)
        return self.out(h)


net = Reader()
optimizer = nn.Adam(net.trainable_params(), 0.005)


def forward(whole, label):
    net.clear()
    net(whole[:, :6])
    return ops.cross_entropy(net(whole[:, 6:]), label)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
batches = data.create_tuple_iterator()
for epoch in range(3):
    for whole, b in batches:
        loss, grads = grad_fn(whole, b)
        optimizer(grads)
    print(epoch, float(loss))
