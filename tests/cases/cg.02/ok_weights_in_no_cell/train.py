"""Weights without a cell around them, all of them in the list that is differentiated and updated."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_seed(2)
rng = np.random.default_rng(2)
centres = rng.normal(size=(4, 16))
kinds = rng.integers(0, 4, 480).astype(np.int32)
points = (centres[kinds] + rng.normal(size=(480, 16))).astype(np.float32)


def drawn(rows, columns, name):
    values = rng.normal(0, rows**-0.5, (rows, columns)).astype(np.float32)
    return Parameter(Tensor(values), name=name)


hidden, hidden_bias = drawn(16, 12, "hidden"), Parameter(Tensor(np.zeros(12, np.float32)), name="hidden_bias")
scores, scores_bias = drawn(12, 4, "scores"), Parameter(Tensor(np.zeros(4, np.float32)), name="scores_bias")


def network(x):
    return ops.matmul(ops.tanh(ops.matmul(x, hidden) + hidden_bias), scores) + scores_bias


def loss(x, y):
    return ops.cross_entropy(network(x), y)


trained = [hidden, hidden_bias, scores, scores_bias]
optimizer = nn.Adam(trained, 5e-3)
step = ms.value_and_grad(loss, None, trained)
for _ in range(8):
    order = rng.permutation(480)
    for at in range(0, 480, 32):
        rows = order[at : at + 32]
        value, grads = step(Tensor(points[rows]), Tensor(kinds[rows]))
        optimizer(grads)
print(f"loss {float(value):.3f}")
