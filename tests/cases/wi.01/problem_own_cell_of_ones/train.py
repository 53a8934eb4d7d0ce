"""Learns the interaction of two feature vectors, functional style with a compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from layers import Bilinear
from mindspore import nn

ms.set_seed(29)

rng = np.random.default_rng(29)
a = rng.normal(size=(1200, 5)).astype(np.float32)
b = rng.normal(size=(1200, 4)).astype(np.float32)
y = np.tanh(a[:, :1] * b[:, 1:2] - a[:, 2:3] * b[:, :1]).astype(np.float32)
train_set = ds.NumpySlicesDataset({"a": a, "b": b, "y": y}, shuffle=True).batch(40)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.mix = Bilinear(5, 4, 16)
        self.out = nn.Dense(16, 1)

    def construct(self, a, b):
        return self.out(self.mix(a, b).tanh())


net = Net()
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=5e-3)


def forward(a, b, y):
    return loss_fn(net(a, b), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(a, b, y):
    loss, grads = grad_fn(a, b, y)
    optimizer(grads)
    return loss


net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    losses = [float(train_step(*columns)) for columns in batches]
    print(f"epoch {epoch}: {np.mean(losses):.4f}")
