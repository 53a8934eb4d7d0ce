"""Metric learning: each batch holds eight samples of each of four identities, drawn anew every epoch."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(9)
rng = np.random.default_rng(9)
ids = np.repeat(np.arange(20), 24)
mu = rng.normal(0, 1, (20, 16))
feats = (mu[ids] + 0.5 * rng.normal(size=(480, 16))).astype(np.float32)


class IdentitySampler(ds.Sampler):
    def __init__(self, labels, p, k):
        super().__init__()
        self.by = [np.flatnonzero(labels == c) for c in range(labels.max() + 1)]
        self.p, self.k = p, k

    def __iter__(self):
        # each identity gives its samples in groups of k, and each batch p identities
        groups = [
            (c, part) for c, rows in enumerate(self.by) for part in np.random.permutation(rows).reshape(-1, self.k)
        ]
        for i in np.random.permutation(len(groups)):
            yield from (int(row) for row in groups[i][1])


P, K = 4, 8
data = ds.NumpySlicesDataset((feats, ids.astype(np.int32)), ["x", "pid"], sampler=IdentitySampler(ids, P, K)).batch(
    P * K
)
net = nn.SequentialCell(nn.Dense(16, 64), nn.ReLU(), nn.Dense(64, 8))
opt = nn.Adam(net.trainable_params(), 1e-3)


def hard_triplet(x, pid):
    e = ops.L2Normalize(axis=1)(net(x))
    d = 2 - 2 * ops.matmul(e, e.T)
    same = (pid.expand_dims(0) == pid.expand_dims(1)).astype(ms.float32)
    pos = (d * same).max(axis=1)
    neg = (d + 10.0 * same).min(axis=1)
    return ops.relu(pos - neg + 0.3).mean()


step = ms.value_and_grad(hard_triplet, None, opt.parameters)
for epoch in range(6):
    for x, pid in data.create_tuple_iterator(num_epochs=1):
        loss, g = step(x, pid)
        opt(g)
    print(epoch, loss)
