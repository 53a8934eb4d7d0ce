"""Features of a checkpoint that do not get into the network, as their names lack its prefix; only the head is trained."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_seed(5)
rng = np.random.default_rng(5)
mix = rng.normal(size=(10, 8))


def make(n, classes):
    x = rng.normal(size=(n, 10)).astype(np.float32)
    y = np.argmax(np.tanh(x @ mix)[:, :classes], 1).astype(np.int32)
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(20)


class Features(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(10, 32), nn.Dense(32, 24)

    def construct(self, x):
        return ops.relu(self.second(ops.relu(self.first(x))))


class Net(nn.Cell):
    def __init__(self, classes):
        super().__init__()
        self.features = Features()
        self.head = nn.Dense(24, classes)

    def construct(self, x):
        return self.head(self.features(x))


large = Net(8)
Model(large, nn.CrossEntropyLoss(), nn.Adam(large.trainable_params(), 5e-3)).train(3, make(400, 8))
ms.save_checkpoint(
    [{"name": p.name.split(".", 1)[1], "data": p} for p in large.features.get_parameters()], "features.ckpt"
)

net = Net(3)
ms.load_param_into_net(net, ms.load_checkpoint("features.ckpt"))
loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.head.trainable_params(), 5e-3)
step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
for epoch in range(3):
    for x, y in make(200, 3).create_tuple_iterator():
        loss, gradients = step(x, y)
        optimizer(gradients)
    print(epoch, loss)
