import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, nn, ops
from mindspore.train import LossMonitor

ms.set_seed(8)
rng = np.random.default_rng(8)
age = rng.integers(18, 80, 1500).astype(np.int32)
habits = rng.normal(size=(1500, 4)).astype(np.float32)
risk = 1 / (1 + np.exp(-(0.12 * (age - 50) + habits[:, 0] - habits[:, 1])))
ill = (rng.random(1500) < risk).astype(np.float32).reshape(-1, 1)


class Risk(nn.Cell):
    def __init__(self):
        super().__init__()
        self.by_age, self.by_habits, self.last = nn.Dense(1, 8), nn.Dense(4, 16), nn.Dense(24, 1)

    def construct(self, age, habits):
        life = (age / 100).astype(ms.float32).reshape(-1, 1)
        both = ops.concat((ops.tanh(self.by_age(life)), ops.tanh(self.by_habits(habits))), 1)
        return self.last(both)


class WithLoss(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network, self.loss = network, nn.BCEWithLogitsLoss()

    def construct(self, age, habits, ill):
        return self.loss(self.network(age, habits), ill)


people = ds.NumpySlicesDataset({"age": age, "habits": habits, "ill": ill}, shuffle=True).batch(50)
network = Risk()
model = Model(WithLoss(network), optimizer=nn.Adam(network.trainable_params(), 0.01))
model.train(8, people, callbacks=[LossMonitor(30)], dataset_sink_mode=False)
