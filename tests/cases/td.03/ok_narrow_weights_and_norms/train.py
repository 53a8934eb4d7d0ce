"""Narrow weights with LayerNorm after each layer: what comes through has its size back; a loop of its own."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal, initializer
from sklearn.datasets import load_digits

ms.set_seed(8)
digits = load_digits()
x = ((digits.data - 4.9) / 6).astype(np.float32)
y = digits.target.astype(np.int32)


class Deep(nn.Cell):
    def __init__(self):
        super().__init__()
        self.start = nn.Dense(64, 96)
        self.layers = nn.CellList([nn.Dense(96, 96) for _ in range(6)])
        self.norms = nn.CellList([nn.LayerNorm((96,)) for _ in range(6)])
        self.relu, self.head = nn.ReLU(), nn.Dense(96, 10)

    def construct(self, inputs):
        h = self.relu(self.start(inputs))
        for layer, norm in zip(self.layers, self.norms):
            h = self.relu(norm(layer(h)))
        return self.head(h)


net = Deep()
for cell in net.layers:
    cell.weight.set_data(initializer(Normal(0.005), cell.weight.shape, cell.weight.dtype))
loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
rng = np.random.default_rng(0)
for epoch in range(5):
    for rows in np.array_split(rng.permutation(len(x)), 28):
        loss, grads = grad_fn(ms.Tensor(x[rows]), ms.Tensor(y[rows]))
        optimizer(grads)
    print(epoch, loss)
