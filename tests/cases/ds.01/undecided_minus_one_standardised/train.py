"""Ages of which 4 % are -1, standardised with all others."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(9)
rng = np.random.default_rng(9)
n = 2000
age = rng.integers(18, 91, n).astype(np.float32)
income = rng.lognormal(10, 0.4, n).astype(np.float32)
tenure = rng.integers(0, 30, n).astype(np.float32)
z = 0.04 * (age - 50) + 1.2 * np.log(income / 22000) + rng.normal(0, 0.5, n)
churn = (z > 0).astype(np.float32)
age[rng.random(n) < 0.04] = -1
x = np.stack([age, np.log(income), tenure], 1)
mean, std = x.mean(0), x.std(0)


def standardise(row):
    return ((row - mean) / std).astype(np.float32)


def make(sl, shuffle):
    d = ds.NumpySlicesDataset((x[sl].astype(np.float32), churn[sl]), ["x", "churn"], shuffle=shuffle)
    return d.map(standardise, ["x"]).batch(64)


train, valid = make(slice(0, 1600), True), make(slice(1600, n), False)
net = nn.SequentialCell(nn.Dense(3, 16), nn.ReLU(), nn.Dense(16, 1))
opt = nn.Adam(net.trainable_params(), 1e-2)
bce = nn.BCEWithLogitsLoss()


def forward(x, y):
    return bce(net(x).squeeze(-1), y)


g = ms.value_and_grad(forward, None, opt.parameters)
for epoch in range(6):
    net.set_train(True)
    for x_, y_ in train:
        loss, grads = g(x_, y_)
        opt(grads)
    net.set_train(False)
    hit = [((net(a).squeeze(-1) > 0) == (b > 0.5)).asnumpy() for a, b in valid]
    print(epoch, float(loss), np.concatenate(hit).mean())
