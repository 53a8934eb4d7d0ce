"""A variational autoencoder: the data set has class numbers too, and only the pictures are trained on."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import GeneratorDataset

ms.set_seed(1)
rng = np.random.default_rng(1)
kinds = rng.random((6, 36)) > 0.5


class Pictures:
    def __init__(self, number):
        self.labels = rng.integers(0, 6, number).astype(np.int32)
        noise = rng.normal(0, 0.1, (number, 36))
        self.pictures = np.clip(0.1 + 0.8 * kinds[self.labels] + noise, 0, 1).astype(np.float32)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.pictures[index], self.labels[index]


class Autoencoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = nn.Dense(36, 24)
        self.middle = nn.Dense(24, 4)
        self.spread = nn.Dense(24, 4)
        self.outer = nn.Dense(4, 24)
        self.picture = nn.Dense(24, 36)

    def decode(self, code):
        return ops.sigmoid(self.picture(ops.relu(self.outer(code))))

    def construct(self, picture):
        hidden = ops.relu(self.inner(picture))
        middle, spread = self.middle(hidden), self.spread(hidden)
        code = middle + ops.exp(spread / 2) * ops.randn_like(spread)
        return self.decode(code), middle, spread


data = GeneratorDataset(Pictures(240), ["picture", "label"], shuffle=True).batch(24)
net = Autoencoder()
optimizer = nn.Adam(net.trainable_params(), 3e-3)


def forward(picture):
    seen, middle, spread = net(picture)
    likeness = ops.binary_cross_entropy(seen, picture, reduction="sum")
    distance = -0.5 * ops.sum(1 + spread - middle.pow(2) - spread.exp())
    return likeness, distance


step = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(4):
    net.set_train()
    for picture, _ in data.create_tuple_iterator():
        (likeness, distance), gradients = step(picture)
        optimizer(gradients)
    print(epoch, likeness.asnumpy(), distance.asnumpy())
