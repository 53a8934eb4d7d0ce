"""Calls relu as a statement, as if it worked in place: its value is lost, and the network is linear."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(2)
rng = np.random.default_rng(2)
points = rng.normal(size=(400, 2)).astype(np.float32)
inside = ((points**2).sum(1) < 1.4).astype(np.float32)


class Disc(nn.Cell):
    def __init__(self, width=24):
        super().__init__()
        self.first = nn.Dense(2, width)
        self.second = nn.Dense(width, width)
        self.last = nn.Dense(width, 1)

    def construct(self, p):
        h = self.first(p)
        ops.relu(h)
        h = self.second(h)
        ops.relu(h)
        return self.last(h).squeeze(-1)


net = Disc()
cell = nn.TrainOneStepCell(
    nn.WithLossCell(net, nn.BCEWithLogitsLoss()), nn.Adam(net.trainable_params(), learning_rate=5e-3)
)
cell.set_train()
for epoch in range(12):
    order = rng.permutation(400)
    for k in range(0, 400, 25):
        loss = cell(Tensor(points[order[k : k + 25]]), Tensor(inside[order[k : k + 25]]))
    print(epoch, float(loss))
