"""Leaks in water pipes, one day in forty, by a detector whose weight of the leaks is the share and not its inverse."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops


def pressures(days, seed):
    rng = np.random.default_rng(seed)
    leak = (rng.random((days, 1)) < 0.025).astype(np.float32)
    return (rng.normal(0, 1, (days, 8)) - 1.5 * leak).astype(np.float32), leak


class Detector:
    def __init__(self, network, leaks):
        self.network = network
        found, none = float(leaks.sum()), float((1 - leaks).sum())
        weight_of_leaks = ms.Tensor([found / none], ms.float32)
        every = ms.Tensor([1.0], ms.float32)
        self.optimizer = nn.Adam(network.trainable_params(), learning_rate=5e-3)

        def loss_of(pressure, leak):
            return ops.binary_cross_entropy_with_logits(network(pressure), leak, every, weight_of_leaks)

        self.step = ms.value_and_grad(loss_of, None, self.optimizer.parameters)

    def fit(self, batches, epochs):
        self.network.set_train()
        for epoch in range(epochs):
            for pressure, leak in batches.create_tuple_iterator(num_epochs=1):
                loss, gradients = self.step(pressure, leak)
                self.optimizer(gradients)
            print(epoch, float(loss))


ms.set_seed(3)
days, leaks = pressures(2400, 1)
batches = ds.NumpySlicesDataset((days, leaks), ["pressure", "leak"], shuffle=True).batch(60, drop_remainder=True)
Detector(nn.SequentialCell(nn.Dense(8, 24), nn.ReLU(), nn.Dense(24, 1)), leaks).fit(batches, 8)
