import os
import tempfile

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(12)
rng = np.random.default_rng(12)


def body():
    return Body()


class Body(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(16, 32), nn.Dense(32, 32)

    def construct(self, x):
        return ops.relu(self.second(ops.relu(self.first(x))))


class Head(nn.Cell):
    def __init__(self, body, outputs):
        super().__init__()
        self.body, self.out = body, nn.Dense(32, outputs)

    def construct(self, x):
        return self.out(self.body(x))


def train(net, x, y, epochs):
    optimizer = nn.Adam(net.trainable_params(), 0.003)
    step = ms.value_and_grad(lambda a, b: ops.cross_entropy(net(a), b), None, optimizer.parameters)
    net.set_train()
    for a, b in (
        ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(20).create_tuple_iterator(num_epochs=epochs)
    ):
        loss, gradients = step(a, b)
        optimizer(gradients)
    print("loss", loss)


def tune(file, x, y):
    loaded = body()
    ms.load_param_into_net(loaded, ms.load_checkpoint(file))
    train(Head(body(), 2), x, y, 10)


many = rng.normal(size=(1600, 16)).astype(np.float32)
part = (many[:, 0] > 0).astype(np.int32) * 2 + (many[:, 1] * many[:, 2] > 0)
known = body()
train(Head(known, 4), many, part.astype(np.int32), 4)
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "body.ckpt")
    ms.save_checkpoint(known, file)
    few = rng.normal(size=(200, 16)).astype(np.float32)
    tune(file, few, (few[:, 1] * few[:, 2] > 0).astype(np.int32))
