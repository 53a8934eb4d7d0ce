"""A graph network trained on one whole graph; the labels of most nodes are left out with -1."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(12)
rng = np.random.default_rng(12)
n, c = 300, 3
y = rng.integers(0, c, n)
p = np.where(y[:, None] == y[None], 0.08, 0.01)
adj = np.triu(rng.random((n, n)) < p, 1)
adj = (adj | adj.T) + np.eye(n)
deg = adj.sum(1)
norm = (adj / np.sqrt(deg[:, None] * deg[None])).astype(np.float32)
feat = (rng.normal(size=(n, 12)) + np.eye(c, 12)[y]).astype(np.float32)
labels = y.copy()
labels[rng.random(n) > 0.3] = -1


class GCN(nn.Cell):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Dense(12, 16)
        self.l2 = nn.Dense(16, c)
        self.drop = nn.Dropout(p=0.2)

    def construct(self, a, x):
        h = ops.relu(self.l1(ops.matmul(a, x)))
        return self.l2(ops.matmul(a, self.drop(h)))


net = GCN()
opt = nn.Adam(net.trainable_params(), 1e-2, weight_decay=5e-4)
A, X, Y = Tensor(norm), Tensor(feat), Tensor(labels.astype(np.int32))


def forward(a, x, t):
    return ops.cross_entropy(net(a, x), t, ignore_index=-1)


step = ms.value_and_grad(forward, None, opt.parameters)
for epoch in range(60):
    net.set_train(True)
    loss, g = step(A, X, Y)
    opt(g)
net.set_train(False)
pred = net(A, X).asnumpy().argmax(1)
print(float(loss), (pred == y)[labels < 0].mean())
