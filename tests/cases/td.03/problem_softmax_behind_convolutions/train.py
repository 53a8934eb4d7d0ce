import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(21)
draws = np.random.default_rng(8)
side, kinds = 16, 4


def picture(kind):
    """A bar, upright, lying or slanting, somewhere in a noisy picture."""
    found = 0.4 * draws.normal(size=(side, side))
    at = draws.integers(4, side - 4)
    rows = np.arange(side)
    columns = {0: np.full(side, at), 1: rows, 2: (rows + at) % side, 3: (at - rows) % side}[kind]
    found[(rows, columns) if kind != 1 else (at, rows)] += 1.5
    return found.astype(np.float32)[None]


labels = draws.integers(0, kinds, 1024).astype(np.int32)
pictures = np.stack([picture(kind) for kind in labels])


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.activation = nn.Softmax()
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.head = nn.Dense(16 * 16, kinds)

    def construct(self, x):
        x = self.pool(self.activation(self.conv1(x)))
        x = self.pool(self.activation(self.conv2(x)))
        return self.head(self.flatten(x))


batches = ds.NumpySlicesDataset((pictures, labels), ["picture", "kind"], shuffle=True).batch(32)
net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.05))
model.train(8, batches, dataset_sink_mode=False)
