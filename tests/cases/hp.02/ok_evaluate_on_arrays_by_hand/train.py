"""The accuracy on held-out arrays rises and stays; that on the training arrays is computed by the same function."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(3)
rng = np.random.default_rng(3)
X = rng.standard_normal((480, 10)).astype(np.float32)
Y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(480) > 0).astype(np.int32)

net = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU(), nn.Dense(32, 2))
optimizer = nn.Adam(net.trainable_params(), 5e-3, weight_decay=1e-4)


def forward(x, y):
    return ops.cross_entropy(net(x), y)


grad = ms.value_and_grad(forward, None, optimizer.parameters)


def share_of_right_answers(x, y):
    net.set_train(False)
    correct = int((net(ms.Tensor(x)).asnumpy().argmax(1) == y).sum())
    net.set_train(True)
    return correct / len(y)


for epoch in range(45):
    order = rng.permutation(320)
    for start in range(0, 320, 32):
        picked = order[start : start + 32]
        loss, grads = grad(ms.Tensor(X[picked]), ms.Tensor(Y[picked]))
        optimizer(grads)
    print(epoch, share_of_right_answers(X[:320], Y[:320]), share_of_right_answers(X[320:], Y[320:]))
