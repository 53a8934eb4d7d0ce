"""A LayerNorm over a single feature gives its beta for every sample; nn.TrainOneStepCell in PyNative mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(9)
rng = np.random.default_rng(9)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] * 2 - x[:, 1:2] + 0.5).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(
    nn.Dense(6, 16),
    nn.ELU(),
    nn.Dense(16, 1),
    nn.LayerNorm((1,)),
    nn.Dense(1, 1),
)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), learning_rate=0.03))
step.set_train()

for epoch in range(3):
    for features, target in data.create_tuple_iterator():
        loss = step(features, target)
    print(epoch, float(loss))
