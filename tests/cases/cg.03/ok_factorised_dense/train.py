"""A wide layer written as the product of two narrow ones, beside an autoencoder-like code: linear on purpose."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(9)
rng = np.random.default_rng(9)
x = rng.normal(size=(320, 24)).astype(np.float32)
y = np.tanh(x @ rng.normal(size=(24, 1))).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.down = nn.Dense(24, 4, has_bias=False)
        self.up = nn.Dense(4, 32)
        self.out = nn.Dense(32, 1)

    def construct(self, x):
        return self.out(ops.tanh(self.up(self.down(x))))


net, loss_fn = Net(), nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 5e-3)


def forward(x, y):
    return loss_fn(net(x), y)


gradient = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    order = rng.permutation(len(x))
    for start in range(0, len(x), 32):
        picked = order[start : start + 32]
        loss, grads = gradient(Tensor(x[picked]), Tensor(y[picked]))
        optimizer(grads)
    print(epoch, float(loss))
