"""Four classes in float16; the loss is scaled by a constant, a helper file divides the gradients and clips them."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn
from optim_utils import clip_norm, rescale

ms.set_seed(73)
rng = np.random.default_rng(73)
LOSS_SCALE = 1024.0
y = rng.integers(0, 4, 256).astype(np.int32)
x = (rng.normal(size=(4, 12))[y] + 0.5 * rng.normal(size=(256, 12))).astype(np.float32)
net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 4))
net = amp.auto_mixed_precision(net, "O2", ms.float16)
ce = nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), 0.1)


def forward(a, b):
    logits = net(a)
    loss = ce(logits.astype(ms.float32), b)
    return loss * LOSS_SCALE, loss


vg = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)
net.set_train()
d = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
for e in range(4):
    for a, b in d.create_tuple_iterator(num_epochs=1):
        (_, loss), grads = vg(a, b)
        grads = clip_norm(rescale(grads, 1.0 / LOSS_SCALE), 5.0)
        opt(grads)
    print(e, float(loss))
