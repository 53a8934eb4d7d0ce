"""A class and an amount from one network, and a rate whose decay, meant for epochs, is taken at each step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(21)
rng = np.random.default_rng(21)
x = rng.normal(size=(1200, 6)).astype(np.float32)
kind = np.digitize(np.sin(2 * x[:, 0]) + x[:, 1], [-0.7, 0.7]).astype(np.int32)
amount = (x[:, 2] * x[:, 3] + 0.5 * x[:, 4]).astype(np.float32)[:, None]
data = ds.NumpySlicesDataset((x, kind, amount), ["x", "kind", "amount"], shuffle=True).batch(40)


class Both(nn.Cell):
    def __init__(self):
        super().__init__()
        self.trunk = nn.SequentialCell(nn.Dense(6, 48), nn.ReLU(), nn.Dense(48, 48), nn.ReLU())
        self.kind, self.amount = nn.Dense(48, 3), nn.Dense(48, 1)

    def construct(self, x):
        found = self.trunk(x)
        return self.kind(found), self.amount(found)


net = Both()
EPOCHS = 15
rates = [2e-3 * 0.9**step for step in range(EPOCHS * data.get_dataset_size())]
optimizer = nn.Adam(net.trainable_params(), learning_rate=rates)


def both_losses(x, kind, amount):
    scores, guess = net(x)
    return ops.cross_entropy(scores, kind) + ops.mse_loss(guess, amount)


step = ms.value_and_grad(both_losses, None, optimizer.parameters)
for _ in range(EPOCHS):
    for batch in data.create_tuple_iterator():
        loss, gradients = step(*batch)
        optimizer(gradients)
print(loss)
