"""Mixup in per_batch_map that weights both labels alike."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(18)
np.random.seed(18)
rng = np.random.default_rng(18)
K = 4
y = rng.integers(0, K, 640)
x = rng.normal(size=(640, 16)).astype(np.float32)
x[np.arange(640), y] += 3


def mixup(xs, ys, info):
    a = np.stack(xs)
    b = np.eye(K, dtype=np.float32)[np.array(ys)]
    lam = np.float32(np.random.beta(0.4, 0.4))
    perm = np.random.permutation(len(a))
    a = lam * a + (1 - lam) * a[perm]
    b = lam * b + lam * b[perm]
    return a.astype(np.float32), b.astype(np.float32)


data = ds.NumpySlicesDataset((x, y.astype(np.int32)), ["x", "y"], shuffle=True)
data = data.batch(32, drop_remainder=True, per_batch_map=lambda a, b, i: mixup(a, b, i))
net = nn.SequentialCell(nn.Dense(16, 32), nn.ReLU(), nn.Dense(32, K))
opt = nn.Momentum(net.trainable_params(), 0.02, 0.9)
fn = ms.value_and_grad(lambda a, b: ops.cross_entropy(net(a), b), None, opt.parameters)
for epoch in range(5):
    for a, b in data.create_tuple_iterator():
        loss, g = fn(a, b)
        opt(g)
    print(epoch, loss)
