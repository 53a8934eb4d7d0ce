"""Two answers for each car: its price in euros, and which of three classes it is sold as."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(4)
rng = np.random.default_rng(4)
cars = rng.normal(size=(1200, 5)).astype(np.float32)
price = (24000 + 6000 * cars[:, 0] - 4000 * cars[:, 1] + rng.normal(0, 900, 1200)).astype(np.float32)[:, None]
kind = np.digitize(cars[:, 2] + 0.5 * cars[:, 3], [-0.5, 0.6]).astype(np.int32)


class Cars(nn.Cell):
    def __init__(self):
        super().__init__()
        self.shared = nn.SequentialCell(nn.Dense(5, 32), nn.ReLU(), nn.Dense(32, 32), nn.ReLU())
        self.price, self.kind = nn.Dense(32, 1), nn.Dense(32, 3)

    def construct(self, x):
        hidden = self.shared(x)
        return self.price(hidden), self.kind(hidden)


class Both(nn.Cell):
    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network, self.squares, self.classes = network, nn.MSELoss(), nn.CrossEntropyLoss()

    def construct(self, x, price, kind):
        told, scores = self.network(x)
        return self.squares(told, price) + self.classes(scores, kind)


network = Cars()
source = ds.NumpySlicesDataset((cars[:900], price[:900], kind[:900]), ["cars", "price", "kind"], shuffle=True)
model = ms.Model(Both(network), optimizer=nn.Adam(network.trainable_params(), 0.002))
model.train(12, source.batch(30), callbacks=ms.LossMonitor(180), dataset_sink_mode=False)
network.set_train(False)
told, scores = network(ms.Tensor(cars[900:]))
print("mean error in euros:", float(np.abs(told.asnumpy() - price[900:]).mean()))
print("kinds right:", float((scores.asnumpy().argmax(1) == kind[900:]).mean()))
