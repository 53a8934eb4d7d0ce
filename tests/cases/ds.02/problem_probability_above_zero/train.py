"""The classes of new samples are taken by comparing a sigmoid of its scores with 0; a training cell in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(71)
rng = np.random.default_rng(71)
x = rng.normal(size=(700, 5)).astype(np.float32)
y = (x[:, :1] + x[:, 1:2] > 0).astype(np.float32)
data = ds.NumpySlicesDataset((x[:500], y[:500]), ["x", "y"], shuffle=True).batch(25)


class Screening(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(5, 16), nn.ReLU(), nn.Dense(16, 1))

    def construct(self, x):
        return self.body(x)


screening = Screening()
step = nn.TrainOneStepCell(
    nn.WithLossCell(screening, nn.BCEWithLogitsLoss()), nn.Adam(screening.trainable_params(), 0.01)
)
step.set_train()
for epoch in range(10):
    for a, b in data.create_tuple_iterator():
        loss = step(a, b)


def classes(samples):
    screening.set_train(False)
    chance = ops.sigmoid(screening(Tensor(samples))).asnumpy()[:, 0]
    print(float(loss), np.log(chance[chance > 0]).mean())
    return (chance > 0).astype(np.int32)


print("right:", (classes(x[500:]) == y[500:, 0]).mean())
