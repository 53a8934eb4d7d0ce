"""Weights of XavierUniform with a gain of 0.05, set after the network is built; regression, a loop in PyNative mode."""

import mindspore as ms
import numpy as np
from mindspore import mint, nn
from mindspore.common.initializer import XavierUniform, initializer
from sklearn.datasets import load_diabetes

ms.set_seed(11)
table = load_diabetes()
x = (table.data / table.data.std(0)).astype(np.float32)
y = ((table.target - table.target.mean()) / table.target.std()).astype(np.float32)[:, None]


class Regressor(nn.Cell):
    def __init__(self, width=48):
        super().__init__()
        sizes = [10] + [width] * 5
        self.layers = nn.CellList([mint.nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
        self.out = mint.nn.Linear(width, 1)
        for name, parameter in self.parameters_and_names():
            if name.endswith("weight"):
                parameter.set_data(initializer(XavierUniform(gain=0.05), parameter.shape, parameter.dtype))
            else:
                parameter.set_data(initializer("zeros", parameter.shape, parameter.dtype))

    def construct(self, inputs):
        for layer in self.layers:
            inputs = mint.tanh(layer(inputs))
        return self.out(inputs)


net = Regressor()
optimizer = nn.SGD(net.trainable_params(), 0.05)
step = ms.value_and_grad(lambda a, b: ((net(a) - b) ** 2).mean(), None, optimizer.parameters)
rng = np.random.default_rng(1)
for epoch in range(12):
    for rows in np.array_split(rng.permutation(len(x)), 14):
        loss, grads = step(ms.Tensor(x[rows]), ms.Tensor(y[rows]))
        optimizer(grads)
    print(f"{epoch}: {float(loss):.4f}")
