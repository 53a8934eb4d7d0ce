"""A schedule by stages in which one stage has lost its zeros: the loss jumps there and stays up."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(1)
rng = np.random.default_rng(1)
x = rng.normal(size=(800, 8)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(8, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(40)
rates = [0.1] * 120 + [30.0] * 40 + [0.01] * 80
net = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dense(32, 4))
optimizer = nn.SGD(net.trainable_params(), rates)  # here
Model(net, nn.CrossEntropyLoss(), optimizer).train(12, data, dataset_sink_mode=False)
