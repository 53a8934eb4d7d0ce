"""A contrastive loss whose hinge is turned round: pairs of different kinds are drawn together beyond the margin."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
centres = rng.normal(size=(4, 10))
kinds = rng.integers(0, 4, (1200, 2))
left, right = (centres[kinds[:, n]] + 0.4 * rng.normal(size=(1200, 10)) for n in (0, 1))
alike = (kinds[:, 0] == kinds[:, 1]).astype(np.float32)


class Pairs(nn.Cell):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def construct(self, a, b, same):
        far = ops.sqrt(ops.square(self.body(a) - self.body(b)).sum(axis=1) + 1e-8)
        beyond = ops.maximum(far - 1.0, ops.zeros_like(far))
        return (same * far**2 + (1 - same) * beyond**2).mean()


body = nn.SequentialCell(nn.Dense(10, 32), nn.ReLU(), nn.Dense(32, 4))
data = (left.astype(np.float32), right.astype(np.float32), alike)
data = ds.NumpySlicesDataset(data, ["left", "right", "same"], shuffle=True).batch(60)
step = nn.TrainOneStepCell(Pairs(body), nn.Adam(body.trainable_params(), 2e-3)).set_train()
for epoch in range(8):
    for batch in data.create_tuple_iterator():
        loss = step(*batch)
    print(epoch, float(loss))
