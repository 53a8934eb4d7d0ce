"""Fits a decay curve from a stream of measurements."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(31)
ms.set_context(mode=ms.GRAPH_MODE)


def measurements():
    rng = np.random.default_rng(31)
    for _ in range(320):
        time = rng.uniform(0, 1, 3).astype(np.float32)
        signal = np.exp(-2 * time).sum(keepdims=True) + 0.02 * rng.normal(size=1)
        yield time, signal.astype(np.float32)


stream = ds.GeneratorDataset(measurements, ["time", "signal"], shuffle=None)
stream = stream.batch(16)


class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network = network
        self.optimizer = optimizer
        self.loss = nn.MSELoss()
        self.value_and_grad = ms.value_and_grad(self.forward, None, optimizer.parameters)

    def forward(self, time, signal):
        return self.loss(self.network(time), signal)

    def construct(self, time, signal):
        loss, grads = self.value_and_grad(time, signal)
        self.optimizer(grads)
        return loss


net = nn.SequentialCell(nn.Dense(3, 16), nn.Tanh(), nn.Dense(16, 1))
step = Step(net, nn.Adam(net.trainable_params(), learning_rate=0.01))
step.set_train()
batches = stream.create_dict_iterator(num_epochs=3)
for epoch in range(3):
    for batch in batches:
        loss = step(batch["time"], batch["signal"])
    print("epoch", epoch, "loss", float(loss))
