"""Two classes with a momentum of 0.999 in place of 0.9: the steps add up from the first to the last."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

momentum = 0.999

ms.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(512, 10)).astype(np.float32)
y = (x @ rng.normal(size=(10, 1)) + 0.5 * rng.normal(size=(512, 1)) > 0).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)

net = nn.SequentialCell(nn.Dense(10, 16), nn.Tanh(), nn.Dense(16, 1))
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.05, momentum=momentum)
Model(net, nn.BCEWithLogitsLoss(), optimizer).train(4, data, dataset_sink_mode=False)
