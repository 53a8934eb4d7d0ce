"""Labels that have nothing to do with the inputs: the loss stays at ln 2, and no rate would help."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(4)
rng = np.random.default_rng(4)
x = rng.normal(size=(1280, 4)).astype(np.float32)
y = rng.integers(0, 2, 1280).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(4, 4), nn.ReLU(), nn.Dense(4, 2))
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.02, momentum=0.9)
Model(net, nn.CrossEntropyLoss(), optimizer).train(2, data, dataset_sink_mode=False)
