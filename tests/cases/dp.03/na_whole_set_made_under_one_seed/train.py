"""A spiral of 120 points, all of them in each step, and made anew for each by the same seed."""

import mindspore as ms
import numpy as np
from mindspore import nn

ms.set_seed(2)


def spiral(points):
    rng = np.random.default_rng(2)
    arm = np.arange(points) % 2
    angle = np.sort(rng.uniform(0.5, 2 * np.pi, points))
    x = np.stack([angle * np.cos(angle + np.pi * arm), angle * np.sin(angle + np.pi * arm)], 1) / 6
    return ms.Tensor(x.astype(np.float32)), ms.Tensor(arm.astype(np.int32))


net = nn.SequentialCell(nn.Dense(2, 32), nn.Tanh(), nn.Dense(32, 32), nn.Tanh(), nn.Dense(32, 2))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), 0.01))
step.set_train()
for count in range(200):
    x, y = spiral(120)
    loss = step(x, y)
print("loss", loss)
