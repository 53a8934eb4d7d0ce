"""A teacher rests inside the training cell; the optimizer has the student alone."""

import os
import tempfile

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(14)
rng = np.random.default_rng(14)
y = rng.integers(0, 4, 600).astype(np.int32)
x = rng.normal(size=(600, 12)).astype(np.float32)
x[np.arange(600), y] += 2.5


def build(width):
    return nn.SequentialCell(nn.Dense(12, width), nn.ReLU(), nn.Dense(width, 4))


def data():
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(30)


ce = nn.CrossEntropyLoss()
teacher = build(64)
ms.Model(teacher, ce, nn.Adam(teacher.trainable_params(), 5e-3)).train(3, data(), dataset_sink_mode=False)
path = os.path.join(tempfile.mkdtemp(), "t.ckpt")
ms.save_checkpoint(teacher, path)

frozen = build(64)
ms.load_param_into_net(frozen, ms.load_checkpoint(path), strict_load=True)
frozen.set_train(False)
frozen.set_grad(False)
student = build(8)
opt = nn.Adam(student.trainable_params(), 5e-3)


class Distill(nn.Cell):
    def __init__(self, s, t):
        super().__init__()
        self.s, self.t = s, t

    def construct(self, x, y):
        t = ops.stop_gradient(ops.softmax(self.t(x) / 2.0, -1))
        s = self.s(x)
        return ce(s, y) - (t * ops.log_softmax(s / 2.0, -1)).sum(-1).mean()


step = nn.TrainOneStepCell(Distill(student, frozen), opt)
step.set_train()
frozen.set_train(False)
for epoch in range(2):
    for a, b in data():
        loss = step(a, b)
    print(epoch, loss)
