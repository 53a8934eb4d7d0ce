"""An nn.ReLU is left over while ops.relu does its work, and the frozen head of a pretrained body is not used."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Body(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(10, 16)
        self.relu = nn.ReLU()
        self.softmax = nn.Softmax()
        self.classifier = nn.Dense(16, 1000)

    def construct(self, x):
        return ops.relu(self.dense(x))


body = Body()
for parameter in body.classifier.get_parameters():
    parameter.requires_grad = False
net = nn.SequentialCell(body, nn.Dense(16, 4))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)

Model(net, loss_fn, optimizer).train(2, data, dataset_sink_mode=False)
