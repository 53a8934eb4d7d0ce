import mindspore.dataset as ds
import mindspore.nn as nn
import numpy as np
from mindspore import Model
from mindspore.common.initializer import HeNormal
from mindspore.train import Accuracy, LossMonitor
from sklearn.datasets import load_digits

x, y = load_digits(return_X_y=True)
x = (x / 16.0).astype(np.float32)
ds_train = ds.NumpySlicesDataset((x, y.astype(np.int32)), ["x", "y"], shuffle=True).batch(32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.l1 = nn.Dense(64, 48, weight_init=HeNormal(), bias_init="zeros")
        self.l2 = nn.Dense(48, 10, weight_init=HeNormal(), bias_init="zeros")
        self.act = nn.ReLU()

    def construct(self, x):
        return self.l2(self.act(self.l1(self.flatten(x))))


network = Net()
m = Model(
    network,
    nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
    nn.Momentum(network.trainable_params(), 0.05, 0.9),
    metrics={"acc": Accuracy()},
)
m.train(5, ds_train, callbacks=[LossMonitor(56)])
print(m.eval(ds_train))
