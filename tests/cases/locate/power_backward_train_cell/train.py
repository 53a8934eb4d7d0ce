"""A root written as a power, in a training cell that is called by hand."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = ms.Parameter(ms.Tensor(np.ones(6, np.float32)), name="scale")
        self.head = nn.Dense(7, 1)

    def construct(self, x):
        weighted = x * self.scale
        length = ops.reduce_sum(weighted * weighted, -1).expand_dims(-1) ** 0.5  # here
        return self.head(ops.concat((x, length), -1))


rng = np.random.default_rng(1)
x = rng.normal(size=(320, 6)).astype(np.float32)
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype(np.float32)
x[80] = 0.0
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

net = Net()
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.01))
step.set_train()
for features, target in data.create_tuple_iterator(num_epochs=1):
    loss = step(features, target)
print(loss)
