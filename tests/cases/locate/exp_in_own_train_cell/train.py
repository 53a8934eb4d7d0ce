"""An exponential overflows; the training cell is a class of the script."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.head = nn.Dense(6, 1)

    def construct(self, x):
        return self.head(x) + ops.exp(x.sum(-1, keepdims=True))  # here


class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__()
        self.network, self.optimizer, self.loss = network, optimizer, nn.MSELoss()
        self.gradient = ms.value_and_grad(self.compute, None, optimizer.parameters)

    def compute(self, x, y):
        return self.loss(self.network(x), y)

    def construct(self, x, y):
        loss, grads = self.gradient(x, y)
        self.optimizer(grads)
        return loss


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)
x[150, 2] = 95.0
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

net = Net()
step = Step(net, nn.SGD(net.trainable_params(), 1e-4))
step.set_train()
for features, target in data.create_tuple_iterator(num_epochs=1):
    loss = step(features, target)
print(loss)
