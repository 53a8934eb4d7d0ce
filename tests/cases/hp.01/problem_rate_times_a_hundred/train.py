"""Model.train with a rate of 5 where 0.05 was meant."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(6)
rng = np.random.default_rng(6)
x = rng.normal(size=(512, 12)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(12, 5)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(12, 24), nn.ReLU(), nn.Dense(24, 24), nn.ReLU(), nn.Dense(24, 5))
optimizer = nn.Momentum(net.trainable_params(), learning_rate=5.0, momentum=0.9)  # here
Model(net, nn.CrossEntropyLoss(), optimizer).train(4, data, dataset_sink_mode=False)
