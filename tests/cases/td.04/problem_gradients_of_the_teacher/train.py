"""A student is to follow its teacher, and the gradients are taken by the teacher's weights; a trainer of a class of its own."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)
images = rng.normal(size=(480, 12)).astype(np.float32)


class Mlp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(12, 20), nn.Dense(20, 4)

    def construct(self, x):
        return self.out(ops.relu(self.hidden(x)))


class Distiller:
    def __init__(self, teacher, student):
        self.teacher, self.student = teacher, student
        self.optimizer = nn.Momentum(student.trainable_params(), 0.05, 0.9)
        self.gradient = ms.value_and_grad(self.distance, None, teacher.trainable_params())

    def distance(self, x):
        return ops.mse_loss(self.student(x), self.teacher(x))

    def fit(self, data, epochs):
        for epoch in range(epochs):
            for (x,) in data.create_tuple_iterator(num_epochs=1):
                loss, grads = self.gradient(x)
                self.optimizer(grads)  # here
            print(epoch, float(loss))


Distiller(Mlp(), Mlp()).fit(ds.NumpySlicesDataset({"x": images}, shuffle=True).batch(24), 5)
