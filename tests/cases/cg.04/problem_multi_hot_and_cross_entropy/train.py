"""Several labels a sample given to the softmax cross entropy; a training cell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = (x[:, :5] > 0.3).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class WithLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 5))
        self.loss = nn.SoftmaxCrossEntropyWithLogits(reduction="mean")

    def construct(self, x, y):
        return self.loss(self.net(x), y)  # here


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
