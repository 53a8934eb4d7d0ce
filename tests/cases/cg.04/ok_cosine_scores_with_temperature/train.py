"""Cosines between -1 and 1, divided by a temperature inside the loss."""

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
        self.hidden = nn.Dense(8, 16)
        self.centres = ms.Parameter(ms.Tensor(rng.normal(size=(4, 16)).astype(np.float32)), name="centres")

    def construct(self, x):
        x = self.hidden(x)
        x = x / ops.norm(x, dim=1, keepdim=True)
        centres = self.centres / ops.norm(self.centres, dim=1, keepdim=True)
        return ops.tanh(3 * ops.matmul(x, centres.T))


net = Net()


def scaled_loss(cosines, y):
    return ops.cross_entropy(cosines / 0.07, y)


def forward(x, y):
    return scaled_loss(net(x), y)


optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(epoch, float(loss))
