"""A small regression whose hidden activations are rounded to bfloat16, without any loss scale."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(17)


class Rounded(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(4, 24)
        self.out = nn.Dense(24, 1)

    def construct(self, x):
        x = ops.tanh(self.hidden(x)).astype(ms.bfloat16)
        return self.out(x.astype(ms.float32))


rng = np.random.default_rng(17)
x = rng.uniform(-1, 1, (512, 4)).astype(np.float32)
y = (np.sin(3 * x[:, :1]) + x[:, 1:2] * x[:, 2:3]).astype(np.float32)
train_set = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = Rounded()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
mse = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda x, y: mse(net(x), y), None, optimizer.parameters)
net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for features, target in batches:
        loss, grads = grad_fn(features, target)
        optimizer(grads)
    print("epoch", epoch, "loss", float(loss))
