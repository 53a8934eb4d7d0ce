"""A head is trained on a frozen, loaded trunk; the trunk is set free for a second phase, which keeps the optimizer."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
mix = rng.normal(size=(10, 8))


def make(n, classes):
    x = rng.normal(size=(n, 10)).astype(np.float32)
    y = np.argmax(np.tanh(x @ mix)[:, :classes], 1).astype(np.int32)
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(20)


class Net(nn.Cell):
    def __init__(self, classes):
        super().__init__()
        self.trunk = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU(), nn.Dense(32, 24), nn.ReLU())
        self.head = nn.Dense(24, classes)

    def construct(self, x):
        return self.head(self.trunk(x))


def step_of(net):
    optimizer = nn.Adam(net.trainable_params(), 5e-3)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
    return step.set_train()


def fit(step, data, epochs):
    for x, y in data.create_tuple_iterator(num_epochs=epochs):
        loss = step(x, y)
    print("loss", loss)


large = Net(8)
fit(step_of(large), make(400, 8), 3)
ms.save_checkpoint(large.trunk, "trunk.ckpt")

net = Net(3)
ms.load_param_into_net(net.trunk, ms.load_checkpoint("trunk.ckpt"))
data = make(400, 3)
for p in net.trunk.get_parameters():
    p.requires_grad = False
step = step_of(net)
fit(step, data, 2)
for p in net.trunk.get_parameters():
    p.requires_grad = True
fit(step, data, 3)
print("outputs", ops.softmax(net(ms.Tensor(np.ones((1, 10), np.float32))), -1))
