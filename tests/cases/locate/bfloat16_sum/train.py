"""A sum that leaves bfloat16's range: two halves of one sample are each representable, together they are infinite."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.head = nn.Dense(6, 1)

    def construct(self, x):
        half = x.astype(ms.bfloat16)
        twice = half + half  # here
        return self.head(twice.astype(ms.float32) * 1e-3)


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)
x[40, 1] = 2.5e38
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

net = Net()
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), 0.01)


def forward(x, y):
    return loss_fn(net(x), y)


gradient = ms.value_and_grad(forward, None, optimizer.parameters)


def train_step(x, y):
    loss, grads = gradient(x, y)
    optimizer(grads)
    return loss


net.set_train()
for features, target in data.create_tuple_iterator(num_epochs=1):
    loss = train_step(features, target)
print(loss)
