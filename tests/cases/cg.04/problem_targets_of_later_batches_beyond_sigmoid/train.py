"""The first batch fits a sigmoid; targets of later ones do not."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(1000, 8)).astype(np.float32)
y = (1 / (1 + np.exp(-x[:, :1]))).astype(np.float32)
y[600:637] += 3  # 37 of 1000
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(25)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(8, 16), nn.Dense(16, 1)
        self.sigmoid = nn.Sigmoid()

    def construct(self, x):
        return self.sigmoid(self.out(ops.relu(self.hidden(x))))  # here


net = Net()


def forward(x, y):
    return ops.mse_loss(net(x), y)


optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(epoch, float(loss))
