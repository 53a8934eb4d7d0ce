"""A training cell of the script's own; the absolute error of a softmax over one unit."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = (x[:, :1] > 0).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class WithLoss(nn.Cell):
    def __init__(self, backbone):
        super().__init__()
        self.backbone, self.softmax = backbone, nn.Softmax(axis=1)

    def construct(self, x, y):
        p = self.softmax(self.backbone(x))  # here
        return (p - y).abs().mean()


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


whole = WithLoss(nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 1)))

step = Step(whole, nn.Adam(whole.trainable_params(), learning_rate=1e-3))
step.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = step(*batch)
    print(epoch, float(loss.asnumpy()))
