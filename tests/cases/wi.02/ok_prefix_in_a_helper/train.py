"""An encoder trained for one task is copied into the classifier of another by a helper that strips the prefix of the file."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(320, 10)).astype(np.float32)
amounts = (x[:, :3].sum(1, keepdims=True)).astype(np.float32)
classes = (x[:, 0] + x[:, 1] + x[:, 2] > 0).astype(np.int32)


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(10, 24), nn.Dense(24, 12)

    def construct(self, x):
        return ops.relu(self.second(ops.relu(self.first(x))))


class Regressor(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = Encoder(), nn.Dense(12, 1)

    def construct(self, x):
        return self.head(self.encoder(x))


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.trunk, self.scores = Encoder(), nn.Dense(12, 2)

    def construct(self, x):
        return self.scores(self.trunk(x))


def fit(net, loss_fn, y, epochs):
    optimizer = nn.Adam(net.trainable_params(), 3e-3)
    step = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
    for _ in range(epochs):
        order = rng.permutation(320)
        for at in range(0, 320, 32):
            rows = order[at : at + 32]
            loss, grads = step(ms.Tensor(x[rows]), ms.Tensor(y[rows]))
            optimizer(grads)
    print(float(loss))


def copy_weights(into, file, prefix="encoder."):
    stored = {name[len(prefix) :]: value for name, value in ms.load_checkpoint(file).items() if name.startswith(prefix)}
    for parameter in into.get_parameters():
        name = parameter.name.replace("trunk.", "", 1)
        if name in stored:
            parameter.set_data(stored[name])


first = Regressor()
fit(first, nn.MSELoss(), amounts, 6)
ms.save_checkpoint(first, "regression.ckpt")
second = Classifier()
copy_weights(second, "regression.ckpt")
fit(second, nn.CrossEntropyLoss(), classes, 4)
