"""Two classes, one output, and a softmax over it: the loss is 0 from the start."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 10)).astype(np.float32)
y = np.zeros(640, np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
net = nn.SequentialCell(nn.Dense(10, 16), nn.ReLU(), nn.Dense(16, 1))
loss_fn = nn.CrossEntropyLoss()  # here
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)

Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
