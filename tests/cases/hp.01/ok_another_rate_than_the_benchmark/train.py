"""Half the rate of the benchmark, chosen on purpose: the run keeps up with it."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

rng = np.random.default_rng(3)
x = rng.normal(size=(640, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
first = (rng.normal(size=(16, 10)) / 4).astype(np.float32)
last = (rng.normal(size=(4, 16)) / 4).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(32)

net = nn.SequentialCell(
    nn.Dense(10, 16, weight_init=ms.Tensor(first), bias_init="zeros"),
    nn.ReLU(),
    nn.Dense(16, 4, weight_init=ms.Tensor(last), bias_init="zeros"),
)
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.25)
Model(net, nn.CrossEntropyLoss(), optimizer).train(3, data, dataset_sink_mode=False)
