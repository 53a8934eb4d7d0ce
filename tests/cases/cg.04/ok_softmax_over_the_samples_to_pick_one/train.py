"""Which of the samples of a batch fits each of three questions best: the softmax over the samples is the point."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(2)
rng = np.random.default_rng(2)
network = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 3), nn.Softmax(axis=0))
optimizer = nn.Adam(network.trainable_params(), 0.005)


def error(x, best):
    share = network(x)
    return -(best * ops.log(share + 1e-7)).sum() / 3


gradient = ms.value_and_grad(error, None, optimizer.parameters)
for number in range(150):
    points = rng.normal(size=(16, 8)).astype(np.float32)
    best = np.zeros((16, 3), np.float32)
    for question in range(3):
        best[points[:, question].argmax(), question] = 1
    loss, grads = gradient(Tensor(points), Tensor(best))
    optimizer(grads)
    if number % 30 == 0:
        print(number, float(loss))
