"""A student learns what a teacher says of unlabelled points; a loader of the script's own fills the teacher from its file."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(6)
rng = np.random.default_rng(6)
points = rng.normal(size=(384, 8)).astype(np.float32)
sides = (points[:, 0] * points[:, 1] > 0).astype(np.int32)


class Mlp(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.body, self.head = nn.SequentialCell(nn.Dense(8, width), nn.ReLU()), nn.Dense(width, 2)

    def construct(self, x):
        return self.head(self.body(x))


class Judged(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net

    def construct(self, x, y):
        return ops.cross_entropy(self.net(x), y)


def batches(epochs):
    for _ in range(epochs):
        order = rng.permutation(384)
        for at in range(0, 384, 32):
            yield order[at : at + 32]


def filled(net, file):
    stored = ms.load_checkpoint(file)
    for parameter in net.get_parameters():
        if parameter.name in stored:
            parameter.set_data(stored[parameter.name])
    return net


first = Judged(Mlp(48))
optimizer = nn.Adam(first.trainable_params(), 5e-3)
step = ms.value_and_grad(first, None, optimizer.parameters)
for rows in batches(12):
    loss, grads = step(Tensor(points[rows]), Tensor(sides[rows]))
    optimizer(grads)
ms.save_checkpoint(first.net, "teacher.ckpt")

teacher, student = filled(Mlp(48), "teacher.ckpt"), Mlp(16)
teacher.set_train(False)
student.set_train(True)


def imitate(x, shares):
    return -(shares * ops.log_softmax(student(x), 1)).sum(1).mean()


second = nn.Adam(student.trainable_params(), 5e-3)
step = ms.value_and_grad(imitate, None, second.parameters)
for rows in batches(8):
    x = Tensor(points[rows])
    loss, grads = step(x, ops.softmax(teacher(x), 1))
    second(grads)
print(f"loss {float(loss):.3f}")
