"""Ten classes behind a layer of two units, in a cell of the script's own and a loop of its own."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
ms.set_seed(21)
rng = np.random.default_rng(21)
labels = rng.integers(0, 10, 1000).astype(np.int32)
centres = rng.normal(size=(10, 20))
points = (centres[labels] + 0.25 * rng.normal(size=(1000, 20))).astype(np.float32)
points = (points - points.mean(0)) / points.std(0)


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(20, 40)
        self.second = nn.Dense(40, 2)
        self.third = nn.Dense(2, 10)

    def construct(self, point):
        hidden = ops.relu(self.first(point))
        hidden = ops.relu(self.second(hidden))
        return self.third(hidden)


net = Classifier()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 0.003)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for epoch in range(20):
    order = rng.permutation(len(points))
    for start in range(0, len(points), 40):
        rows = order[start : start + 40]
        loss, grads = grad_fn(Tensor(points[rows]), Tensor(labels[rows]))
        optimizer(grads)
print(float(loss))
