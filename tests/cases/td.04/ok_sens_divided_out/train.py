"""A training cell of the script differentiates with sens and divides the gradients by it."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)
x = rng.normal(size=(320, 8)).astype(np.float32)
y = (x @ rng.normal(size=(8, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(16)


class ScaledStep(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, scale):
        super().__init__(network, optimizer, sens=scale)
        self.scale = scale

    def construct(self, features, target):
        loss = self.network(features, target)
        grads = self.grad(self.network, self.weights)(features, target, ops.ones_like(loss) * self.scale)
        grads = ops.HyperMap()(ops.partial(ops.mul, 1 / self.scale), grads)
        self.optimizer(grads)
        return loss


net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 1))
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
step = ScaledStep(nn.WithLossCell(net, nn.MSELoss()), optimizer, 16.0).set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator():
        loss = step(*batch)
    print(epoch, float(loss))
