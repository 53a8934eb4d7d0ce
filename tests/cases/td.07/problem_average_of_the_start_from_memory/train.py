"""A smoothed copy, filled from the network in memory, follows too slowly; all that is evaluated is the copy."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
ms.set_seed(81)
rng = np.random.default_rng(81)
kind = rng.integers(0, 4, 1000).astype(np.int32)
rows = (rng.normal(size=(1000, 9)) + 1.7 * np.eye(4, 9)[kind]).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Dense(9, 24), nn.Dense(24, 4)

    def construct(self, row):
        return self.two(ops.relu(self.one(row)))


class Smoothed:
    def __init__(self, source, keep):
        self.keep, self.copy = keep, Net()
        ms.load_param_into_net(self.copy, source.parameters_dict())
        self.both = list(zip(self.copy.get_parameters(), source.get_parameters()))

    def follow(self):
        for mine, its in self.both:
            mine.set_data(self.keep * mine + (1 - self.keep) * its)

    def __call__(self, given):
        self.copy.set_train(False)
        return self.copy(given)


net = Net()
net.set_train()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 0.004)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
smoothed = Smoothed(net, 0.9995)
for epoch in range(12):
    order = rng.permutation(800)
    for start in range(0, 800, 40):
        at = order[start : start + 40]
        loss, grads = grad_fn(Tensor(rows[at]), Tensor(kind[at]))
        optimizer(grads)
        smoothed.follow()
    right = smoothed(Tensor(rows[800:])).asnumpy().argmax(1) == kind[800:]
    print(epoch, float(loss), right.mean())
