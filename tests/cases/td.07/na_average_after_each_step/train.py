"""A network inside a loss cell, and an average of its weights that is evaluated."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(9)
rng = np.random.default_rng(9)
x = rng.uniform(-2, 2, (640, 3)).astype(np.float32)
y = np.sin(x).sum(axis=1, keepdims=True).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(3, 32), nn.Tanh(), nn.Dense(32, 1))

    def construct(self, x):
        return self.layers(x)


class SquaredError(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, y):
        return ops.square(self.net(x) - y).mean()


def follow(average, net, decay=0.98):
    for kept, new in zip(average.get_parameters(), net.get_parameters()):
        kept.set_data(Tensor(decay * kept.asnumpy() + (1 - decay) * new.asnumpy()))


net, average = Net(), Net()
follow(average, net, 0.0)
step = nn.TrainOneStepCell(SquaredError(net), nn.Adam(net.trainable_params(), 0.005))
step.set_train()
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
for epoch in range(15):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = step(*batch)
        follow(average, net)
average.set_train(False)
error = ops.square(average(Tensor(x[:200])) - Tensor(y[:200])).mean()
print("loss", loss, "error of the average", error)
