"""Few noisy pictures, shifted and darkened by a generator made of the picture's number; the labels are smoothed."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Accuracy, LossMonitor, Model

ms.set_seed(9)
rng = np.random.default_rng(9)
forms = np.kron(rng.normal(size=(4, 3, 3)), np.ones((3, 3)))


def pictures(count):
    labels = np.tile(np.arange(4), count // 4).astype(np.int32)
    made = rng.normal(0, 0.8, (count, 15, 15))
    for picture, label in zip(made, labels):
        top, left = rng.integers(0, 7, 2)
        picture[top : top + 9, left : left + 9] += forms[label]
    return made.astype(np.float32), labels


class Varied:
    """Pictures that are rolled, scaled and made noisier."""

    def __init__(self, pictures, labels):
        self.pictures, self.labels = pictures, labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, number):
        draw = np.random.RandomState(1000 + int(number))
        rolled = np.roll(self.pictures[number], draw.randint(-3, 4, 2), axis=(0, 1)) * draw.uniform(0.8, 1.2)
        return (rolled + draw.normal(0, 0.4, rolled.shape)).astype(np.float32), self.labels[number]


train = ds.GeneratorDataset(Varied(*pictures(80)), ["picture", "label"], shuffle=True).batch(16)
test = ds.NumpySlicesDataset(pictures(200), ["picture", "label"], shuffle=False).batch(50)
net = nn.SequentialCell(nn.Flatten(), nn.Dense(225, 64), nn.ReLU(), nn.Dense(64, 4))
loss = nn.CrossEntropyLoss(label_smoothing=0.1)
model = Model(net, loss, nn.Adam(net.trainable_params(), 2e-3), metrics={"acc": Accuracy()})
for _ in range(5):
    model.train(8, train, callbacks=LossMonitor(40), dataset_sink_mode=False)
    print(model.eval(test, dataset_sink_mode=False))
