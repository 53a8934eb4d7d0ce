"""Speech of the same speaker lies close together: pairs of two recordings through one network."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(3)
rng = np.random.default_rng(3)
speakers = 1.2 * rng.standard_normal((8, 12))
who = rng.integers(0, 8, (768, 2))
who[::2, 1] = who[::2, 0]
speech = (speakers[who] + rng.standard_normal((768, 2, 12))).astype(np.float32)
equal = (who[:, 0] == who[:, 1]).astype(np.float32)


class PairLoss(nn.Cell):
    """Hadsell, Chopra and LeCun 2006."""

    def __init__(self, network, margin=2.0):
        super().__init__()
        self.network, self.margin = network, margin

    def construct(self, one, other, equal):
        return self.loss(self.network(one), self.network(other), equal)

    def loss(self, one, other, equal):
        distance = ops.sqrt(ops.square(one - other).sum(axis=1) + 1e-6)
        apart = ops.square(ops.relu(self.margin - distance))
        return ((1 - equal) * ops.square(distance) + equal * apart).mean()


net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 6))
step = nn.TrainOneStepCell(PairLoss(net), nn.Adam(net.trainable_params(), 0.003))
step.set_train()
data = ds.NumpySlicesDataset((speech[:, 0], speech[:, 1], equal), ["one", "other", "equal"], shuffle=True).batch(32)
for one, other, equal in data.create_tuple_iterator(num_epochs=6):
    loss = step(one, other, equal)
print("loss", loss)
