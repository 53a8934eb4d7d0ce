"""Frozen for a first stage and set free for the second, weight by weight; one weight by its attribute."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
ms.set_seed(42)
rng = np.random.default_rng(42)
x = rng.normal(size=(480, 6)).astype(np.float32)
y = (x[:, 0] * x[:, 1] > 0).astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(6, 24)
        self.act = nn.ReLU()
        self.head = nn.Dense(24, 2)

    def construct(self, x):
        return self.head(self.act(self.body(x)))


net = Net()
loss_fn = nn.CrossEntropyLoss()


def train(epochs):
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x), 40):
            rows = order[start : start + 40]
            loss, grads = grad_fn(Tensor(x[rows]), Tensor(y[rows]))
            optimizer(grads)
    return float(loss)


for weight in net.body.get_parameters():
    weight.requires_grad = False
print(train(4))
for weight in net.body.get_parameters():
    weight.requires_grad = True
net.head.bias.requires_grad = True
print(train(20))
