"""Four independent labels; the logits are clipped to (0, 1) for BCELoss, and no sigmoid is there."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(61)
rng = np.random.default_rng(61)
x = rng.normal(size=(320, 12)).astype(np.float32)
t = (x @ rng.normal(size=(12, 4)) > 0).astype(np.float32)
net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 4))
bce = nn.BCELoss(reduction="mean")
opt = nn.Adam(net.trainable_params(), 5e-3)


def forward(a, b):
    p = ops.clamp(net(a), 1e-6, 1 - 1e-6)
    return bce(p, b)


vg = ms.value_and_grad(forward, None, opt.parameters)
net.set_train()
d = ds.NumpySlicesDataset((x, t), ["x", "t"], shuffle=True).batch(32)
for e in range(4):
    for a, b in d.create_tuple_iterator(num_epochs=1):
        loss, g = vg(a, b)
        opt(g)
    print(e, float(loss))
