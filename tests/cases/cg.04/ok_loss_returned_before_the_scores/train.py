"""The forward function returns the loss first and its scores second, as has_aux takes them."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(4)
rng = np.random.default_rng(4)
hours = rng.uniform(0, 10, size=(240, 3)).astype(np.float32)
passed = (hours @ np.array([0.5, 0.3, -0.4], np.float32) > 2).astype(np.float32)[:, None]
inputs = (hours - hours.mean(0)) / hours.std(0)
net = nn.SequentialCell(nn.Dense(3, 12), nn.Tanh(), nn.Dense(12, 1))
optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)


def evaluate(x, t):
    score = net(x)
    each = mint.nn.functional.binary_cross_entropy_with_logits(score, t, reduction="none")
    return each.mean(), score


step = ms.value_and_grad(evaluate, None, optimizer.parameters, has_aux=True)
for epoch in range(12):
    order = rng.permutation(240)
    for k in range(0, 240, 24):
        rows = order[k : k + 24]
        (loss, score), grads = step(Tensor(inputs[rows]), Tensor(passed[rows]))
        optimizer(grads)
    print(epoch, float(loss))
