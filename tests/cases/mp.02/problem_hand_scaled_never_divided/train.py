"""Four classes in float16; the loss is scaled by a constant and the division is forgotten: Adam hides it."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn

ms.set_seed(73)
rng = np.random.default_rng(73)
LOSS_SCALE = 1024.0
y = rng.integers(0, 4, 256).astype(np.int32)
x = (rng.normal(size=(4, 12))[y] + 0.5 * rng.normal(size=(256, 12))).astype(np.float32)
net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 4))
net = amp.auto_mixed_precision(net, "O2", ms.float16)
ce = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), 5e-3)


def forward(a, b):
    loss = ce(net(a).astype(ms.float32), b)
    return loss * LOSS_SCALE


vg = ms.value_and_grad(forward, None, opt.parameters)
net.set_train()
d = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
for e in range(4):
    for a, b in d.create_tuple_iterator(num_epochs=1):
        loss, grads = vg(a, b)
        opt(grads)
    print(e, float(loss) / LOSS_SCALE)
