"""A student with dropout follows a teacher of the same form: the gradients are its own, drawn anew each time."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(10)
rng = np.random.default_rng(10)


def network():
    return nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dropout(p=0.5), nn.Dense(32, 3))


teacher, student = network(), network()
teacher.set_train(False)
student.set_train(True)
student.update_parameters_name("student.")
optimizer = nn.Adam(student.trainable_params(), 0.005)
grad_fn = ms.value_and_grad(lambda x: ops.mse_loss(student(x), teacher(x)), None, optimizer.parameters)
for number in range(80):
    loss, grads = grad_fn(Tensor(rng.normal(size=(32, 8)).astype(np.float32)))
    optimizer(grads)
    if number % 20 == 19:
        print(number, float(loss))
