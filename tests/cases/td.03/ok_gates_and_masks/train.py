"""A gate that is open for all, causal attention whose first row has one choice, a one-hot router; Model.train in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)
x = rng.normal(size=(256, 2, 8)).astype(np.float32)
y = (x[:, 0, 0] + x[:, 1, 1] > 0).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8)
        self.gate = nn.Dense(8, 8, bias_init=Tensor(np.full(8, 9.0, np.float32)))
        self.route, self.experts = nn.Dense(16, 2), nn.Dense(16, 8)
        self.head = nn.Dense(4, 2)
        self.mask = Tensor([[0.0, -1e9], [0.0, 0.0]], ms.float32)

    def construct(self, x):
        scores = ops.matmul(self.query(x), self.key(x).swapaxes(1, 2)) + self.mask
        x = x + ops.matmul(ops.softmax(scores, axis=-1), self.value(x))
        x = (x * ops.sigmoid(self.gate(x))).reshape(-1, 16)
        routes = ops.softmax(self.route(x) / 0.001, axis=-1)
        experts = self.experts(x).reshape(-1, 2, 4)
        return self.head((experts * routes.expand_dims(-1)).sum(1))


net = Net()
model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), learning_rate=0.01))
model.train(4, data, dataset_sink_mode=False)
