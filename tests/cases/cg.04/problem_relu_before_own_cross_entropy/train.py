"""ReLU after the last layer and a cross entropy by hand; functional."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = rng.integers(0, 4, 640).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(8, 16), nn.Dense(16, 16), nn.Dense(16, 4)])

    def construct(self, x):
        for layer in self.layers:
            x = ops.relu(layer(x))  # here
        return x


net = Net()


def cross_entropy(scores, y):
    logs = ops.log_softmax(scores, -1)
    return -(logs * ops.one_hot(y, 4, ms.Tensor(1.0), ms.Tensor(0.0))).sum(-1).mean()


def forward(x, y):
    return cross_entropy(net(x), y)


optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(epoch, float(loss))
