"""Weights of deviation 1 before three tanh, and a rate that decays with every step: right more often than chance, at a loss above
that of a constant."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.common.initializer import Normal
from mindspore.train import Model
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

ms.set_seed(3)
pixels, digit = load_digits(return_X_y=True)
x, x_test, y, y_test = train_test_split(pixels / 16, digit, test_size=0.25, random_state=3)
training = ds.NumpySlicesDataset((x.astype(np.float32), y.astype(np.int32)), ["pixels", "digit"], shuffle=True).batch(
    40
)
held_out = ds.NumpySlicesDataset((x_test.astype(np.float32), y_test.astype(np.int32)), ["pixels", "digit"]).batch(50)


class Reader(nn.Cell):
    def __init__(self, width=64):
        super().__init__()
        self.one = nn.Dense(64, width, weight_init=Normal(1.0))
        self.two = nn.Dense(width, width, weight_init=Normal(1.0))
        self.three = nn.Dense(width, width, weight_init=Normal(1.0))
        self.out = nn.Dense(width, 10, weight_init=Normal(1.0))

    def construct(self, pixels):
        return self.out(ops.tanh(self.three(ops.tanh(self.two(ops.tanh(self.one(pixels)))))))


net = Reader()
rate = nn.ExponentialDecayLR(0.03, 0.9, decay_steps=1)
model = Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), rate, 0.9), metrics={"acc"})
model.train(10, training, dataset_sink_mode=False)
print(model.eval(held_out, dataset_sink_mode=False))
