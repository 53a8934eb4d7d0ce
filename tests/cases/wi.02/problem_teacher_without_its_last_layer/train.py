"""A small network learns from a larger one, which is read from its checkpoint."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
x = rng.standard_normal((512, 10)).astype(np.float32)
y = (x @ rng.standard_normal((10, 5))).argmax(axis=1).astype(np.int32)


class Net(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.features = nn.SequentialCell(nn.Dense(10, width), nn.ReLU(), nn.Dense(width, width), nn.ReLU())
        self.out = nn.Dense(width, 5)

    def construct(self, x):
        return self.out(self.features(x))


class Distillation(nn.Cell):
    def __init__(self, student, teacher):
        super().__init__()
        self.student, self.teacher = student, teacher

    def construct(self, x):
        wanted = ops.stop_gradient(ops.softmax(self.teacher(x), axis=1))
        return -(wanted * ops.log_softmax(self.student(x), axis=1)).sum(axis=1).mean()


def data():
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)


first = Net(48)
step = nn.TrainOneStepCell(nn.WithLossCell(first, nn.CrossEntropyLoss()), nn.Adam(first.trainable_params(), 0.01))
step.set_train()
for batch in data().create_tuple_iterator(num_epochs=5):
    step(*batch)
ms.save_checkpoint(first, "teacher.ckpt")

teacher, student = Net(48), Net(16)
weights = ms.load_checkpoint("teacher.ckpt")
weights = {name: weights[name] for name in weights if not name.startswith("out.")}
ms.load_param_into_net(teacher, weights)
teacher.set_train(False)
for parameter in teacher.get_parameters():
    parameter.requires_grad = False
step = nn.TrainOneStepCell(Distillation(student, teacher), nn.Adam(student.trainable_params(), 0.01))
for x_batch, _ in data().create_tuple_iterator(num_epochs=5):
    loss = step(x_batch)
print("loss", loss)
