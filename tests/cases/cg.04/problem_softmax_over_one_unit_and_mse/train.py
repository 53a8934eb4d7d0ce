"""The only output goes through a softmax; functional, graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = (0.2 * x[:, 0] + 0.5).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(8, 16), nn.Dense(16, 1)

    def construct(self, x):
        x = ops.tanh(self.hidden(x))
        return ops.softmax(self.out(x), axis=-1)  # here


net, loss_fn = Net(), nn.MSELoss()


def forward(x, y):
    return loss_fn(net(x).squeeze(-1), y)


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
