"""The strength of concrete after its mixture, trained by SGD."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
mixture = rng.normal(size=(1280, 6)).astype(np.float32)
strength = (1.4 * mixture[:, :1] - mixture[:, 1:2] + 0.8 * np.sin(2 * mixture[:, 2:3])).astype(np.float32)
settings = {"rate": 0.1, "decay": 0.001, "passes": 10, "samples": 16}

net = nn.SequentialCell(nn.Dense(6, 32), nn.Tanh(), nn.Dense(32, 1))
optimizer = nn.SGD(net.trainable_params(), settings["rate"], weight_decay=settings["decay"])


def forward(given, wanted):
    return ops.mse_loss(net(given), wanted)


step = ms.value_and_grad(forward, None, optimizer.parameters)
for number in range(settings["passes"]):
    order = rng.permutation(len(mixture))
    for at in range(0, len(order), settings["samples"]):
        rows = order[at : at + settings["samples"]]
        loss, gradients = step(ms.Tensor(mixture[rows]), ms.Tensor(strength[rows]))
        optimizer(gradients)
    print(number, float(loss))
