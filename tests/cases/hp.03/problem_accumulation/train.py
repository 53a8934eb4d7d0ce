"""Regression with accumulated gradients: 64 samples a step, an update every 32 steps."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(23)
ms.set_context(mode=ms.PYNATIVE_MODE)

ACCUMULATE = 32

rng = np.random.default_rng(23)
x = rng.normal(size=(4096, 6)).astype(np.float32)
y = np.sin(x.sum(axis=1, keepdims=True)).astype(np.float32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(64, drop_remainder=True)


class AccumulatingStep(nn.Cell):
    """Adds up the gradients of ACCUMULATE batches, then updates with their mean."""

    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network = network
        self.optimizer = optimizer
        self.loss = nn.MSELoss()
        self.sums = optimizer.parameters.clone(prefix="sum", init="zeros")
        self.grad = ms.value_and_grad(self.forward, None, optimizer.parameters)

    def forward(self, x, y):
        return self.loss(self.network(x), y)

    def construct(self, x, y, last):
        loss, grads = self.grad(x, y)
        for total, grad in zip(self.sums, grads):
            ops.assign_add(total, grad / ACCUMULATE)
        if last:
            self.optimizer(self.sums)
            for total in self.sums:
                ops.assign(total, ops.zeros_like(total))
        return loss


net = nn.SequentialCell(nn.Dense(6, 24), nn.Tanh(), nn.Dense(24, 1))
step = AccumulatingStep(net, nn.Adam(net.trainable_params(), learning_rate=0.01))
step.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for number, (features, target) in enumerate(batches, 1):
        loss = step(features, target, number % ACCUMULATE == 0)
    print("epoch", epoch, "loss", float(loss))
