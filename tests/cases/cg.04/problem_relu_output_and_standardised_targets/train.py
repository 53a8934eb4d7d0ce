"""A training cell with a Huber loss by hand; the output goes through relu, targets are standardised."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = x[:, 0].astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(8, 16), nn.Dense(16, 1)

    def construct(self, x):
        x = ops.relu(self.hidden(x))
        x = ops.relu(self.out(x))  # here
        return x[:, 0]


class HuberLoss(nn.Cell):
    def construct(self, predicted, target):
        error = ops.abs(predicted - target)
        return ops.where(error < 1, 0.5 * error * error, error - 0.5).mean()


class WithLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net, self.loss = Net(), HuberLoss()

    def construct(self, x, y):
        return self.loss(self.net(x), y)


class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer = network, optimizer
        self.gradient = ops.GradOperation(get_by_list=True)
        self.weights = optimizer.parameters

    def construct(self, x, y):
        loss = self.network(x, y)
        grads = self.gradient(self.network, self.weights)(x, y)
        self.optimizer(grads)
        return loss


whole = WithLoss()

step = Step(whole, nn.Adam(whole.trainable_params(), learning_rate=1e-3))
step.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = step(*batch)
    print(epoch, float(loss.asnumpy()))
