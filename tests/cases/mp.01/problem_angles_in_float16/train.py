"""The minute of the day goes into sines in float16, with auto_mixed_precision; a loop of its own."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, amp, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
ms.set_seed(61)
rng = np.random.default_rng(61)
minute = rng.integers(0, 4320, 1500).astype(np.float32)
demand = (np.sin(2 * np.pi * minute / 60) + 0.05 * rng.normal(size=1500)).astype(np.float32)[:, None]


class Clock(nn.Cell):
    """Sine and cosine of the time at three periods, in radians."""

    def __init__(self):
        super().__init__()
        self.turns = Tensor(2 * np.pi / np.array([[30.0, 60.0, 1440.0]], np.float32))
        self.hidden = nn.Dense(6, 32)
        self.act = nn.Tanh()
        self.out = nn.Dense(32, 1)

    def construct(self, minute):
        wave = self.waves(minute.reshape(-1, 1) * self.turns)
        return self.out(self.act(self.hidden(wave)))

    def waves(self, angle):
        return ops.cat((ops.sin(angle), ops.cos(angle)), axis=1)


net = Clock()
net = amp.auto_mixed_precision(net, "O3")
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 0.005)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a).astype(ms.float32), b), None, optimizer.parameters)
net.set_train()
for epoch in range(15):
    order = rng.permutation(len(minute))
    for start in range(0, len(minute), 50):
        rows = order[start : start + 50]
        loss, grads = grad_fn(Tensor(minute[rows]), Tensor(demand[rows]))
        optimizer(grads)
    print(epoch, float(loss))
