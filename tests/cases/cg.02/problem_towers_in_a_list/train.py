"""Iris by two towers over halves of the measurements, kept in a list."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

ms.set_seed(4)
flowers, species = load_iris(return_X_y=True)
flowers, species = Tensor(scale(flowers), ms.float32), Tensor(species, ms.int32)


class Towers(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.towers = [nn.Dense(2, width, activation="tanh") for _ in range(2)]
        self.head = nn.Dense(2 * width, 3)

    def construct(self, x):
        return self.head(ops.cat([tower(half) for tower, half in zip(self.towers, (x[:, :2], x[:, 2:]))], axis=1))


network = Towers(12)
optimizer = nn.Adam(network.trainable_params(), learning_rate=0.02)
step = ms.value_and_grad(lambda x, y: ops.cross_entropy(network(x), y), None, optimizer.parameters)
network.set_train()
generator = np.random.default_rng(4)
for epoch in range(10):
    order = generator.permutation(150).astype(np.int32)
    for rows in order.reshape(10, 15):
        loss, gradients = step(flowers[Tensor(rows)], species[Tensor(rows)])
        optimizer(gradients)
    print(epoch, float(loss))
