"""tanh before a binary cross entropy of logits; functional, jit."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = (x[:, :1] > 0).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(8, 16), nn.Dense(16, 1)

    def construct(self, x):
        return ops.tanh(self.out(ops.tanh(self.hidden(x))))  # here


net = Net()


def forward(x, y):
    return ops.binary_cross_entropy_with_logits(net(x), y, ops.ones_like(y), ops.ones_like(y))


optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()


@ms.jit
def train_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss


for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = train_step(*batch)
    print(epoch, float(loss))
