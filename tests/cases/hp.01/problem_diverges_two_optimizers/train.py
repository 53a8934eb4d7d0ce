"""A training cell with an optimizer for each half of the network, both far too fast: no range test is made."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(9)
rng = np.random.default_rng(9)
x = rng.normal(size=(640, 6)).astype(np.float32)
y = (x @ rng.normal(size=(6, 1)) + 1).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Halves(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(6, 16)
        self.head = nn.Dense(16, 1)

    def construct(self, x):
        return self.head(self.body(x))


class Step(nn.Cell):
    def __init__(self, network, first, second):
        super().__init__(auto_prefix=False)
        self.network, self.first, self.second = network, first, second
        self.loss = nn.MSELoss()
        self.grad = ms.value_and_grad(self.forward, None, (*first.parameters, *second.parameters))

    def forward(self, x, y):
        return self.loss(self.network(x), y)

    def construct(self, x, y):
        loss, grads = self.grad(x, y)
        self.first(grads[:2])
        self.second(grads[2:])
        return loss


net = Halves()
slow = nn.SGD(net.body.trainable_params(), learning_rate=0.9)
fast = nn.SGD(net.head.trainable_params(), learning_rate=0.9)  # here
step = Step(net, slow, fast)
step.set_train()
for features, target in data.create_tuple_iterator(num_epochs=1):
    print(step(features, target))
