"""A functional pretraining; the weights read for the second training go into a network that another takes the place of."""

import mindspore as ms
import numpy as np
from mindspore import nn

ms.set_seed(11)
rng = np.random.default_rng(11)
x = ms.Tensor(rng.normal(size=(64, 6)), ms.float32)
noisy = ms.Tensor(x.asnumpy() + 0.1 * rng.normal(size=(64, 6)), ms.float32)
kinds = ms.Tensor(x.asnumpy()[:, 0] > 0, ms.int32)


class Net(nn.Cell):
    def __init__(self, outputs):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 16), nn.ReLU())
        self.out = nn.Dense(16, outputs)

    def construct(self, table):
        return self.out(self.body(table))


def fit(net, loss, given, wanted, steps):
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    gradient = ms.value_and_grad(lambda a, b: loss(net(a), b), None, optimizer.parameters)
    for _ in range(steps):
        value, gradients = gradient(given, wanted)
        optimizer(gradients)
    print(value)


first = Net(6)
fit(first, nn.MSELoss(), noisy, x, 25)
ms.save_checkpoint(first, "first.ckpt")
second = Net(2)
for name, value in ms.load_checkpoint("first.ckpt").items():
    if name.startswith("body"):
        second.parameters_dict()[name].set_data(value)
second = Net(2)
fit(second, nn.CrossEntropyLoss(), x, kinds, 25)
