"""A trained teacher and its student in one cell whose weights all go to the optimizer; a training cell in graph mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(43)
rng = np.random.default_rng(43)
kind = rng.integers(0, 5, 900).astype(np.int32)
rows = (rng.normal(size=(900, 10)) + 1.6 * np.eye(5, 10)[kind]).astype(np.float32)


def data():
    return ds.NumpySlicesDataset((rows, kind), ["row", "kind"], shuffle=True).batch(45)


def mlp(width):
    return nn.SequentialCell(nn.Dense(10, width), nn.ReLU(), nn.Dense(width, 5))


class Hard(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.loss = net, nn.CrossEntropyLoss()

    def construct(self, row, kind):
        return self.loss(self.net(row), kind)


class Soft(nn.Cell):
    """The divergence of the student's answers from the teacher's, at a temperature of 2."""

    def __init__(self, big, small):
        super().__init__()
        self.big, self.small = big, small

    def construct(self, row, kind):
        wanted = ops.softmax(self.big(row) / 2, axis=-1)
        given = ops.log_softmax(self.small(row) / 2, axis=-1)
        return 4 * (wanted * (ops.log(wanted + 1e-8) - given)).sum(axis=-1).mean()


def run(cell, optimizer, epochs):
    step = nn.TrainOneStepCell(cell, optimizer)
    step.set_train()
    for _ in range(epochs):
        for row, kind in data().create_tuple_iterator():
            loss = step(row, kind)
    return float(loss)


def share_right(net):
    net.set_train(False)
    return float((net(ms.Tensor(rows)).asnumpy().argmax(1) == kind).mean())


big = mlp(64)
print("teacher", run(Hard(big), nn.Adam(big.trainable_params(), 0.005), 10), share_right(big))
small = mlp(8)
soft = Soft(big, small)
optimizer = nn.Adam(soft.trainable_params(), 0.005)
print("student", run(soft, optimizer, 10), share_right(small))
