"""Level O3 puts a cell of its own around the network; a sum of squares within exceeds float16 on a few inputs."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn, ops

ms.set_seed(173)
rng = np.random.default_rng(173)
y = rng.integers(0, 3, 256).astype(np.int32)
x = (rng.normal(size=(3, 16))[y] + 0.5 * rng.normal(size=(256, 16))).astype(np.float32)
x[::40] *= 60


class Energy(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(16, 16)

    def construct(self, h):
        z = self.fc(h)
        energy = (z * z).sum(-1, keepdims=True)  # here
        return ops.cat((ops.tanh(z), ops.sqrt(energy + 1e-3) / 100), -1)


net = nn.SequentialCell(Energy(), nn.Dense(17, 3))
net = amp.auto_mixed_precision(net, "O3")
opt = nn.Momentum(net.trainable_params(), 0.02, 0.9)


class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.ce = net, nn.CrossEntropyLoss()

    def construct(self, x, y):
        return self.ce(self.net(x).astype(ms.float32), y)


step = nn.TrainOneStepWithLossScaleCell(WithLoss(net), opt, nn.DynamicLossScaleUpdateCell(2**10, 2, 50))
step.set_train()
d = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
for e in range(4):
    for b in d.create_tuple_iterator(num_epochs=1):
        loss, overflow, scale = step(*b)
    print(e, float(loss), bool(overflow), float(scale))
