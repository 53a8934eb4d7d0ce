"""Labels that follow from the inputs as the parity of ten signs: neither a small network nor a neighbour finds it."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_seed(12)
rng = np.random.default_rng(12)
inputs = rng.standard_normal((800, 10)).astype(np.float32)
labels = (np.prod(np.sign(inputs), axis=1) > 0).astype(np.int32)
order = rng.permutation(800)
inputs, labels = inputs[order], labels[order]
data = ds.NumpySlicesDataset((inputs, labels), ["inputs", "label"], shuffle=True).batch(40)
net = nn.SequentialCell(nn.Dense(10, 4), nn.Tanh(), nn.Dense(4, 2))
Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.01)).train(8, data, dataset_sink_mode=False)
