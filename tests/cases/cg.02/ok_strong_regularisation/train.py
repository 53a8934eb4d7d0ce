"""An auxiliary head of little weight under strong weight decay: it shrinks all but in proportion, and trains."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)
x = rng.normal(size=(320, 8)).astype(np.float32)
y = np.sin(x.sum(1, keepdims=True)).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.head, self.auxiliary = nn.Dense(8, 16), nn.Dense(16, 1), nn.Dense(16, 4, has_bias=False)

    def construct(self, x):
        h = ops.tanh(self.body(x))
        return self.head(h), self.auxiliary(h)


net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.05, weight_decay=0.3)


def forward(x, y):
    main, rest = net(x)
    return ((main - y) ** 2).mean() + 1e-4 * ((rest - y) ** 2).mean()


gradient = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    order = rng.permutation(320)
    for start in range(0, 320, 32):
        picked = order[start : start + 32]
        loss, grads = gradient(Tensor(x[picked]), Tensor(y[picked]))
        optimizer(grads)
    print(epoch, float(loss))
