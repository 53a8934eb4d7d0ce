"""The rate is raised after a while to go faster; with this momentum the loss then grows until it is not finite."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(800, 6)).astype(np.float32)
y = (x @ rng.normal(size=(6, 1)) + 0.1 * rng.normal(size=(800, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40)
rates = [0.002] * 120 + [2.0] * 120
net = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.Momentum(net.trainable_params(), rates, 0.9)  # here
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
step.set_train()
for epoch in range(12):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = step(*batch)
    print(epoch, float(loss))
