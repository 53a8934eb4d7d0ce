"""Forecasts the load of a substation from weather readings; trains with a step of its own."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--batch", type=int, default=25)
args = parser.parse_args()
ms.set_seed(21)


def readings(hours=600):
    rng = np.random.default_rng(21)
    weather = rng.normal(size=(hours, 4)).astype(np.float32)
    load = np.tanh(weather[:, :1]) - 0.4 * weather[:, 1:2] + 0.05 * rng.normal(size=(hours, 1))
    # the logger writes 9999 when a station does not answer
    silent = rng.choice(hours, 30, replace=False)
    weather[silent, 2] = 9999
    return weather, load.astype(np.float32)


class TrainStep(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__()
        self.network = network
        self.optimizer = optimizer
        self.loss = nn.SmoothL1Loss(reduction="mean")
        self.grad = ops.GradOperation(get_by_list=True)

    def forward(self, weather, load):
        return self.loss(self.network(weather), load)

    def construct(self, weather, load):
        loss = self.forward(weather, load)
        grads = self.grad(self.forward, self.optimizer.parameters)(weather, load)
        self.optimizer(grads)
        return loss


train_set = ds.NumpySlicesDataset(readings(), column_names=["weather", "load"], shuffle=True).batch(args.batch)
network = nn.SequentialCell(nn.Dense(4, 16), nn.Tanh(), nn.Dense(16, 1))
step = TrainStep(network, nn.Adam(network.trainable_params(), learning_rate=0.01))
step.set_train()
batches = train_set.create_dict_iterator(num_epochs=args.epochs)
for epoch in range(args.epochs):
    losses = [float(step(batch["weather"], batch["load"])) for batch in batches]
    print("epoch", epoch, "loss", sum(losses) / len(losses))
