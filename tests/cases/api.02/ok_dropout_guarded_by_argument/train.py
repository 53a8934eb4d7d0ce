"""The network is told by an argument whether it trains, and leaves its Dropout out else; the mode is never set back."""

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
        self.fc1, self.dropout, self.fc2 = nn.Dense(10, 32), nn.Dropout(p=0.4), nn.Dense(32, 3)

    def construct(self, x, training=False):
        x = ops.relu(self.fc1(x))
        if training:
            x = self.dropout(x)
        return self.fc2(x)


net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 1e-2)
gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x, training=True), y), None, optimizer.parameters)


def evaluate():
    return float((net(Tensor(x[300:])).argmax(-1).asnumpy() == labels[300:]).mean())


net.set_train()
for epoch in range(2):
    for start in range(0, 300, 30):
        loss, grads = gradient(Tensor(x[start : start + 30]), Tensor(labels[start : start + 30]))
        optimizer(grads)
    print(epoch, float(loss), evaluate())
