"""A mask of -inf that is right, and a logarithm that is not."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.query, self.head = nn.Dense(6, 6), nn.Dense(6, 1)

    def construct(self, x):
        scores = self.query(x).masked_fill(x > 0.5, float("-inf"))
        weights = ops.softmax(ops.concat((scores, ops.zeros_like(scores[:, :1])), -1), -1)[:, :6]
        level = ops.log(ops.abs(x[:, :1]))  # here
        return self.head(weights * x) + level


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)
x[48, 0] = 0.0
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
