"""Two data sets joined, mixed up in per_batch_map; evaluated on plain labels."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(18)
np.random.seed(18)
K = 4


def part(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n).astype(np.int32)
    x = rng.normal(size=(n, 16)).astype(np.float32)
    x[np.arange(n), y] += 3
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True)


def mixup(xs, ys, info):
    a, b = np.stack(xs), np.eye(K, dtype=np.float32)[np.array(ys)]
    lam = np.float32(np.random.beta(0.4, 0.4))
    perm = np.random.permutation(len(a))
    return lam * a + (1 - lam) * a[perm], lam * b + (1 - lam) * b[perm]


train = (part(400, 1) + part(240, 2)).shuffle(640).batch(32, drop_remainder=True, per_batch_map=mixup)
test = part(160, 3).batch(32)
net = nn.SequentialCell(nn.Dense(16, 32), nn.ReLU(), nn.Dense(32, K))
opt = nn.Momentum(net.trainable_params(), 0.02, 0.9)
fn = ms.value_and_grad(lambda a, b: ops.cross_entropy(net(a), b, label_smoothing=0.1), None, opt.parameters)
for epoch in range(8):
    net.set_train()
    for a, b in train.create_tuple_iterator():
        loss, g = fn(a, b)
        opt(g)
    net.set_train(False)
    acc = np.mean(np.concatenate([(net(a).argmax(1) == b).asnumpy() for a, b in test.create_tuple_iterator()]))
    print(epoch, loss, acc)
