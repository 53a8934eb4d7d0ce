"""Both layers start at zero, and a curve is drawn whose points are set by a method of the same name as a weight's values."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)
x = rng.normal(size=(320, 8)).astype(np.float32)
y = np.sin(x.sum(1, keepdims=True)).astype(np.float32)


class Curve:
    def set_data(self, steps, losses):
        self.points = list(zip(steps, losses))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Dense(8, 16), nn.Dense(16, 1)
        for layer in (self.body, self.head):
            layer.weight.set_data(ops.zeros_like(layer.weight))

    def construct(self, x):
        return self.head(ops.tanh(self.body(x)))


net, curve, losses = Net(), Curve(), []
curve.set_data(np.zeros(1), np.zeros(1))
optimizer = nn.SGD(net.trainable_params(), 0.05)
gradient = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    order = rng.permutation(320)
    for start in range(0, 320, 32):
        picked = order[start : start + 32]
        loss, grads = gradient(Tensor(x[picked]), Tensor(y[picked]))
        optimizer(grads)
        losses.append(float(loss))
        curve.set_data(range(len(losses)), losses)
    print(epoch, losses[-1])
