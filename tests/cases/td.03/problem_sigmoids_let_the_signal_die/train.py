import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import NumpySlicesDataset

ms.set_seed(18)
rng = np.random.default_rng(18)
middles = rng.normal(size=(5, 14))
grade = rng.integers(0, 5, 1000).astype(np.int32)
samples = (middles[grade] + 0.6 * rng.normal(size=(1000, 14))).astype(np.float32)


class Grades(nn.Cell):
    def __init__(self, width=40):
        super().__init__()
        self.layers = nn.CellList(
            [nn.Dense(14, width), nn.Dense(width, width), nn.Dense(width, width), nn.Dense(width, width)]
        )
        self.last = nn.Dense(width, 5)

    def construct(self, x):
        for layer in self.layers:
            x = ops.sigmoid(layer(x))
        return self.last(x)


grades = Grades()
optimizer = nn.SGD(grades.trainable_params(), 0.05)
step = ms.value_and_grad(lambda x, y: ops.cross_entropy(grades(x), y), None, optimizer.parameters)
grades.set_train()
for epoch in range(10):
    for x, y in (
        NumpySlicesDataset((samples, grade), ["x", "y"], shuffle=True).batch(25).create_tuple_iterator(num_epochs=1)
    ):
        loss, gradients = step(x, y)
        optimizer(gradients)
    print(epoch, loss)
