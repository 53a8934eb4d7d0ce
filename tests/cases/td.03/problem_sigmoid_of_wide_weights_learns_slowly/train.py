"""Weights of a standard deviation of 5.5 before three sigmoids, all but saturated: the last layer alone can learn."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal

ms.set_seed(3)
rng = np.random.default_rng(3)
centres = rng.standard_normal((5, 12))
y = rng.integers(0, 5, 640).astype(np.int32)
x = (centres[y] + 1.2 * rng.standard_normal((640, 12))).astype(np.float32)


def layer(inputs, outputs):
    return nn.Dense(inputs, outputs, weight_init=Normal(5.5))  # made here


net = nn.SequentialCell(
    layer(12, 48),
    nn.Sigmoid(),
    layer(48, 48),
    nn.Sigmoid(),
    layer(48, 48),
    nn.Sigmoid(),
    layer(48, 5),
)
optimizer = nn.Adam(net.trainable_params(), 0.03)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
step.set_train()
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
batches = data.create_tuple_iterator()
for epoch in range(14):
    for a, b in batches:
        loss = step(a, b)
print("loss", loss)
