"""The weight of each task is exp(-s) with a trained s, and the sum of s is part of the loss; two optimizers."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
rows = rng.standard_normal((512, 8)).astype(np.float32)
heights = (rows @ rng.standard_normal((8, 1)) + np.sin(3 * rows[:, :1])).astype(np.float32)
colours = (rows[:, 1] * rows[:, 2] > 0).astype(np.int32)


class Both(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(8, 32), nn.Tanh())
        self.height, self.colour = nn.Dense(32, 1), nn.Dense(32, 2)

    def construct(self, x):
        hidden = self.body(x)
        return self.height(hidden), self.colour(hidden)


net = Both()
doubt = Parameter(Tensor([0.0, 0.0], ms.float32), name="doubt")
squares, classes = nn.MSELoss(), nn.CrossEntropyLoss()


def forward(x, height, colour):
    of_height, of_colour = net(x)
    s = doubt
    trust = ops.exp(-s)
    return (trust * ops.stack([squares(of_height, height), classes(of_colour, colour)]) + s).sum()


net_optimizer = nn.Adam(net.trainable_params(), 0.001)
doubt_optimizer = nn.Adam([doubt], 0.02)
weights = [*net_optimizer.parameters, doubt]
grads_of = ms.value_and_grad(forward, None, weights)
net.set_train()
for epoch in range(12):
    order = rng.permutation(512)
    for start in range(0, 512, 32):
        picked = order[start : start + 32]
        loss, grads = grads_of(Tensor(rows[picked]), Tensor(heights[picked]), Tensor(colours[picked]))
        net_optimizer(grads[:-1])
        doubt_optimizer(grads[-1:])
print("loss", loss, "weights", ops.exp(-doubt))
