"""A network that calls ops.dropout as a function and passes its mode on."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
labels = rng.integers(0, 3, 360).astype(np.int32)
x = (rng.normal(size=(3, 10))[labels] + rng.normal(size=(360, 10))).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(10, 32)
        self.fc2 = nn.Dense(32, 3)

    def construct(self, x):
        x = ops.relu(self.fc1(x))
        x = ops.dropout(x, p=0.5, training=self.training)
        return self.fc2(x)


net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 1e-2)


def forward(x, y):
    return loss_fn(net(x), y)


gradient = ms.value_and_grad(forward, None, optimizer.parameters)


def evaluate():
    net.set_train(False)
    right = int((net(Tensor(x[300:])).argmax(-1).asnumpy() == labels[300:]).sum())
    net.set_train()
    return right / 60


net.set_train()
for epoch in range(2):
    for start in range(0, 300, 30):
        loss, grads = gradient(Tensor(x[start : start + 30]), Tensor(labels[start : start + 30]))
        optimizer(grads)
    print(epoch, float(loss), evaluate())
