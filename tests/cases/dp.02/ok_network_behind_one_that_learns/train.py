"""Two networks in a row, both learn; outside training the second is given what the first has become."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
side = rng.integers(0, 2, 480)
angle = rng.uniform(0, 2 * np.pi, 480)
radius = np.where(side == 1, 2.0, 0.7) + 0.15 * rng.normal(size=480)
points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).astype(np.float32)
answers = side.astype(np.float32)[:, None]


class Features(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(2, 6)

    def construct(self, x):
        return ops.tanh(self.hidden(x))


class Head(nn.Cell):
    def __init__(self):
        super().__init__()
        self.out = nn.Dense(6, 1)

    def construct(self, x):
        return self.out(x)


features, head = Features(), Head()
optimizer = nn.Adam([*features.trainable_params(), *head.trainable_params()], learning_rate=0.02)
loss_fn = nn.BCEWithLogitsLoss()


def forward(x, y):
    return loss_fn(head(features(x)), y)


gradient = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(30):
    order = rng.permutation(400)
    for start in range(0, 400, 40):
        rows = order[start : start + 40]
        loss, gradients = gradient(Tensor(points[rows]), Tensor(answers[rows]))
        optimizer(gradients)
    print(epoch, float(loss))
scores = head(features(Tensor(points[400:]))).asnumpy()
print("accuracy", ((scores > 0) == (answers[400:] > 0.5)).mean())
