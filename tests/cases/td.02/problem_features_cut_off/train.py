"""The encoder's features pass through stop_gradient, which was meant for the branch that only shows them."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(2)
rng = np.random.default_rng(2)
x = rng.normal(size=(600, 8)).astype(np.float32)
y = (x[:, :1] * x[:, 1:2]).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(30)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Dense(8, 32), nn.Tanh())
        self.head = nn.SequentialCell(nn.Dense(32, 16), nn.Tanh(), nn.Dense(16, 1))

    def construct(self, x):
        features = ops.stop_gradient(self.encoder(x))  # here
        return self.head(features)


net = Net()
optimizer = nn.Adam(net.trainable_params(), 0.01)
loss_fn = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for epoch in range(4):
    for a, b in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(a, b)
        optimizer(grads)
    print(epoch, float(loss))
