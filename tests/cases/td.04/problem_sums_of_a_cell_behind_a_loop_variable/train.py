"""Fits a noisy surface with batches of 16 that are added up to 64, in half precision with a fixed loss scale."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(3)
rng = np.random.default_rng(3)
points = rng.uniform(-2, 2, (640, 2)).astype(np.float32)
heights = np.sin(points[:, :1]) * np.cos(points[:, 1:]) + 0.05 * rng.normal(size=(640, 1)).astype(np.float32)

LOSS_SCALE, MICRO_BATCHES, MAX_NORM = 512.0, 4, 1.0


class Surface(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(2, 48).to_float(ms.float16)
        self.top = nn.Dense(48, 1)

    def construct(self, x):
        return self.top(ops.tanh(self.hidden(x)).astype(ms.float32))


class MicroBatchStep(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer = network, optimizer
        self.criterion = nn.MSELoss()
        self.summed = optimizer.parameters.clone(prefix="summed", init="zeros")
        self.gradients = ms.value_and_grad(self.scaled_loss, None, optimizer.parameters)

    def scaled_loss(self, x, y):
        return self.criterion(self.network(x), y) * LOSS_SCALE

    def construct(self, x, y):
        loss, gradients = self.gradients(x, y)
        for held, gradient in zip(self.summed, gradients):
            ops.assign_add(held, gradient / MICRO_BATCHES)
        return loss / LOSS_SCALE

    def update(self):
        clipped = ops.clip_by_global_norm([one.value() for one in self.summed], MAX_NORM)
        self.optimizer(tuple(one / LOSS_SCALE for one in clipped))
        for held in self.summed:
            held = ops.zeros_like(held)


pipeline = ds.NumpySlicesDataset((points, heights), ["point", "height"], shuffle=True).batch(16)
network = Surface()
step = MicroBatchStep(network, nn.Momentum(network.trainable_params(), 0.1, 0.9))
for epoch in range(12):
    for number, (x, y) in enumerate(pipeline.create_tuple_iterator(num_epochs=1)):
        loss = step(x, y)
        if (number + 1) % MICRO_BATCHES == 0:
            step.update()
    print(f"epoch {epoch + 1}: loss {float(loss):.4f}")
