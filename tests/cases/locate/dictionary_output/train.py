"""Two inputs and a dictionary as output."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Dense(6, 1), nn.Dense(6, 1)

    def construct(self, a, b):
        distance = ops.rsqrt((a - b).square().sum(-1, keepdims=True))  # here
        return {"out": self.left(a) + self.right(b), "distance": distance}


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)
other = rng.normal(size=(320, 6)).astype(np.float32)
other[180] = x[180]
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

data = ds.NumpySlicesDataset((x, other, y), ["x", "other", "y"], shuffle=False).batch(16)
net = Net()
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), 0.01)


def forward(x, other, y):
    out = net(x, other)
    return loss_fn(out["out"], y) + 1e-9 * out["distance"].mean()


gradient = ms.value_and_grad(forward, None, optimizer.parameters)


def train_step(x, other, y):
    loss, grads = gradient(x, other, y)
    optimizer(grads)
    return loss


net.set_train()
for features, others, target in data.create_tuple_iterator(num_epochs=1):
    loss = train_step(features, others, target)
print(loss)
