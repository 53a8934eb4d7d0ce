"""Features are weighed by a gate, a softmax of which the axis is that of the samples; own batches, no Dataset."""

import mindspore as ms
import numpy as np
from mindspore import nn
from sklearn.datasets import load_wine

ms.set_seed(4)
wine = load_wine()
x = ((wine.data - wine.data.mean(0)) / wine.data.std(0)).astype(np.float32)
y = wine.target.astype(np.int32)


class Gated(nn.Cell):
    def __init__(self):
        super().__init__()
        self.values = nn.Dense(13, 24)
        self.scores = nn.Dense(13, 24)
        self.gate = nn.Softmax(axis=0)
        self.out = nn.Dense(24, 3)

    def construct(self, table):
        return self.out(self.gate(self.scores(table)) * self.values(table))


net = Gated()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 5e-3)
step = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
order = np.random.RandomState(0)
for epoch in range(6):
    rows = order.permutation(len(x))
    for at in range(0, len(rows) - 15, 16):
        chosen = rows[at : at + 16]
        loss, gradients = step(ms.Tensor(x[chosen]), ms.Tensor(y[chosen]))
        optimizer(gradients)
    print(epoch, loss)
