"""Eight layers with sigmoids: a quarter of the gradient at most gets through each, and the first layers stay as drawn."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(1)
rng = np.random.default_rng(1)
x = rng.normal(size=(1000, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(50)
layers = [nn.Dense(10, 24), nn.Sigmoid()]  # here
for _ in range(7):
    layers += [nn.Dense(24, 24), nn.Sigmoid()]
net = nn.SequentialCell(*layers, nn.Dense(24, 4))
Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.05)).train(10, data, dataset_sink_mode=False)
