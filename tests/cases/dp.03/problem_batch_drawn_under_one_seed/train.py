"""Regression of a plane; a source draws the rows of each batch."""

import mindspore as ms
import numpy as np
from mindspore import nn

SEED = 5
ms.set_seed(SEED)


class Rows:
    """Batches of rows drawn at random."""

    def __init__(self, x, y, size):
        self.x, self.y, self.size = x, y, size

    def draw(self):
        np.random.seed(SEED)
        picked = np.random.randint(0, len(self.x), self.size)
        return ms.Tensor(self.x[picked]), ms.Tensor(self.y[picked])


rng = np.random.default_rng(SEED)
features = rng.normal(size=(800, 12)).astype(np.float32)
slopes = rng.normal(size=(12, 1)).astype(np.float32)
targets = features @ slopes + 0.3 * rng.normal(size=(800, 1)).astype(np.float32)
rows = Rows(features, targets / targets.std(), 32)

net = nn.SequentialCell(nn.Dense(12, 16), nn.ReLU(), nn.Dense(16, 1))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.005))
step.set_train()
for count in range(150):
    loss = step(*rows.draw())
    if count % 50 == 49:
        print("loss", loss)
