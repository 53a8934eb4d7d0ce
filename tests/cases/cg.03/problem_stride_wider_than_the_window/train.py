"""Which of four machines is running, by half a second of its sound."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(4)
rng = np.random.default_rng(31)
LENGTH, MACHINES = 192, 4
knocks = rng.normal(size=(MACHINES, 6)) * 2


def record(machine):
    sound = 0.6 * rng.normal(size=LENGTH)
    for at in rng.integers(0, LENGTH - 6, 2):
        sound[at : at + 6] += knocks[machine]
    return sound.astype(np.float32)[None]


machines = rng.integers(0, MACHINES, 900).astype(np.int32)
sounds = np.stack([record(machine) for machine in machines])

net = nn.SequentialCell(
    nn.Conv1d(1, 24, 5, stride=24, has_bias=True),
    nn.ReLU(),
    nn.Conv1d(24, 32, 3),
    nn.ReLU(),
    nn.AdaptiveMaxPool1d(1),
    nn.Flatten(),
    nn.Dense(32, MACHINES),
)
optimizer = nn.Adam(net.trainable_params(), 0.002)
gradients = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(10):
    order = rng.permutation(len(sounds))
    for start in range(0, len(order) - 30, 30):
        rows = order[start : start + 30]
        loss, found = gradients(Tensor(sounds[rows]), Tensor(machines[rows]))
        optimizer(found)
    print(epoch, loss)
