"""A teacher by Model.train; its student then learns in a loop, from kl_div of probabilities instead of their logarithms."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Model

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(480, 12)).astype(np.float32)
y = np.argmax(np.tanh(x @ rng.normal(size=(12, 12)))[:, :5], 1).astype(np.int32)


def batches():
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


class Mlp(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.hidden, self.out = nn.Dense(12, width), nn.Dense(width, 5)

    def construct(self, inputs):
        return self.out(ops.relu(self.hidden(inputs)))


class Distillation(nn.Cell):
    def __init__(self, student, teacher):
        super().__init__()
        self.student, self.teacher = student, teacher

    def construct(self, inputs):
        wanted = ops.softmax(ops.stop_gradient(self.teacher(inputs)), axis=-1)
        given = ops.softmax(self.student(inputs), axis=-1)
        return ops.kl_div(given, wanted, reduction="batchmean")


teacher = Mlp(48)
Model(teacher, nn.CrossEntropyLoss(), nn.Adam(teacher.trainable_params(), 5e-3)).train(3, batches())
teacher.set_train(False)
student = Mlp(8)
step = nn.TrainOneStepCell(Distillation(student, teacher), nn.Adam(student.trainable_params(), 5e-3))
for epoch in range(3):
    for inputs, _ in batches().create_tuple_iterator():
        loss = step(inputs)
    print(epoch, loss)
