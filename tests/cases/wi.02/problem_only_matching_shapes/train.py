"""Keeps the entries whose shapes fit and so takes the weights of a wider network without a word."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(43)


def build(width):
    return nn.SequentialCell(
        nn.Dense(10, 16),
        nn.ReLU(),
        nn.Dense(16, width),
        nn.ReLU(),
        nn.Dense(width, width),
        nn.ReLU(),
        nn.Dense(width, 3),
    )


class TrainCell(nn.Cell):
    def __init__(self, net, optimizer):
        super().__init__()
        self.with_loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
        self.optimizer, self.weights = optimizer, optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x, y):
        loss = self.with_loss(x, y)
        return ops.depend(loss, self.optimizer(self.grad(self.with_loss, self.weights)(x, y)))


ms.save_checkpoint(build(48), "large.ckpt")
net = build(32)
shapes = {parameter.name: parameter.shape for parameter in net.get_parameters()}
weights = ms.load_checkpoint("large.ckpt")
weights = {name: value for name, value in weights.items() if shapes.get(name) == value.shape}
ms.load_param_into_net(net, weights)

rng = np.random.default_rng(43)
x = rng.normal(size=(300, 10)).astype(np.float32)
y = x[:, :3].argmax(axis=1).astype(np.int32)
cell = TrainCell(net, nn.SGD(net.trainable_params(), 0.05))
cell.set_train()
for features, label in ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(20).create_tuple_iterator():
    loss = cell(features, label)
print(float(loss))
