"""A teacher is trained, put into inference mode, and distilled into a student of the same class."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(151)
rng = np.random.default_rng(151)
y = rng.integers(0, 4, 256).astype(np.int32)
x = (rng.normal(size=(4, 10))[y] + 0.6 * rng.normal(size=(256, 10))).astype(np.float32)


def mlp(h):
    return nn.SequentialCell(nn.Dense(10, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Dropout(p=0.1), nn.Dense(h, 4))


data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
ce = nn.CrossEntropyLoss()


def fit(net, loss_of, epochs, lr):
    opt = nn.Adam(net.trainable_params(), lr)
    vg = ms.value_and_grad(loss_of, None, opt.parameters)
    net.set_train(True)
    for e in range(epochs):
        for a, b in data.create_tuple_iterator(num_epochs=1):
            loss, g = vg(a, b)
            opt(g)
        print(e, round(float(loss), 4))


teacher, student = mlp(64), mlp(16)
fit(teacher, lambda a, b: ce(teacher(a), b), 3, 5e-3)
teacher.set_train(False)


def distill(a, b, T=2.0):
    s = student(a)
    t = ops.stop_gradient(teacher(a))
    kd = (ops.softmax(t / T, -1) * (ops.log_softmax(t / T, -1) - ops.log_softmax(s / T, -1))).sum(-1).mean() * T * T
    return 0.5 * ce(s, b) + 0.5 * kd


fit(student, distill, 3, 5e-3)
