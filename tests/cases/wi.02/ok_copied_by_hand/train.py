"""Copies the values parameter by parameter, under the names of another framework's file, and adds low-rank pairs."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(46)


class LowRank(nn.Cell):
    def __init__(self, inputs, outputs, rank=2):
        super().__init__()
        self.dense = nn.Dense(inputs, outputs)
        self.lora_a = ms.Parameter(ops.randn(rank, inputs) * 0.1)
        self.lora_b = ms.Parameter(ops.zeros((outputs, rank)))

    def construct(self, x):
        return self.dense(x) + ops.matmul(ops.matmul(x, self.lora_a.T), self.lora_b.T)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one, self.two = LowRank(6, 16), LowRank(16, 2)

    def construct(self, x):
        return self.two(ops.relu(self.one(x)))


source = {
    f"module.{n}.{k}": p
    for n, c in (("one", nn.Dense(6, 16)), ("two", nn.Dense(16, 2)))
    for k, p in (("weight", c.weight), ("bias", c.bias))
}
ms.save_checkpoint([{"name": name, "data": value} for name, value in source.items()], "other.ckpt")

net = Net()
weights = ms.load_checkpoint("other.ckpt")
for name, value in weights.items():
    layer, kind = name.split(".")[1:]
    getattr(getattr(net, layer).dense, kind).set_data(value)

loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3)
rng = np.random.default_rng(46)
x = rng.normal(size=(200, 6)).astype(np.float32)
y = (x[:, 0] > 0).astype(np.int32)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for features, label in ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(20).create_tuple_iterator():
    loss, grads = grad_fn(features, label)
    optimizer(grads)
print(float(loss))
