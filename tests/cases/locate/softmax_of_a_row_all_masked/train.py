"""Every score of one row is masked with -inf: the softmax of that row is NaN."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.query, self.head = nn.Dense(6, 6), nn.Dense(6, 1)

    def construct(self, x):
        scores = ops.masked_fill(self.query(x), x > 3.5, float("-inf"))
        shifted = scores - scores.max(-1, keepdims=True)  # here
        weights = ops.exp(shifted) / ops.exp(shifted).sum(-1, keepdims=True)
        return self.head(weights * x)


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)
x[300] = 9.0
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

net = Net()
Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01)).train(1, data, dataset_sink_mode=False)
