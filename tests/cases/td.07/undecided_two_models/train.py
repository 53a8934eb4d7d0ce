"""Two processes try two learning rates, each on the whole set: two models, not replicas; nn.TrainOneStepCell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
ms.set_seed(7)
rng = np.random.default_rng(7)
x = rng.normal(size=(256, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 1))
optimizer = nn.Adam(net.trainable_params(), learning_rate=[0.01, 0.001][get_rank()])
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
step.set_train()
for features, target in data.create_tuple_iterator():
    loss = step(features, target)
print(get_rank(), float(loss))
