"""A block is recomputed, a rounding has a bprop of its own, and ms.grad gives no loss."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(139)
rng = np.random.default_rng(139)
y = rng.integers(0, 3, 256).astype(np.int32)
x = (rng.normal(size=(3, 10))[y] + 0.5 * rng.normal(size=(256, 10))).astype(np.float32)


class Quant(nn.Cell):
    def construct(self, x):
        return ops.round(x * 8) / 8

    def bprop(self, x, out, dout):
        return (dout,)


class Block(nn.Cell):
    def __init__(self, d):
        super().__init__()
        self.fc, self.norm, self.act = nn.Dense(d, d), nn.LayerNorm((d,)), nn.SiLU()

    def construct(self, x):
        return x + self.act(self.fc(self.norm(x)))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inp, self.block, self.quant, self.out = nn.Dense(10, 24), Block(24), Quant(), nn.Dense(24, 3)
        self.block.recompute()

    def construct(self, x):
        return self.out(self.quant(self.block(self.inp(x))))


net = Net()
loss_cell = nn.WithLossCell(net, nn.CrossEntropyLoss())
opt = nn.Adam(net.trainable_params(), 5e-3)
grad = ms.grad(loss_cell, grad_position=None, weights=opt.parameters)
net.set_train()
d = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
for e in range(2):
    for a, b in d.create_tuple_iterator(num_epochs=1):
        opt(grad(a, b))
    print(e, float(loss_cell(a, b)))
