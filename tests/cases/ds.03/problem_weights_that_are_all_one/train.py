"""Which of three bearings are worn: most are sound."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore.dataset import GeneratorDataset

ms.set_seed(14)
rng = np.random.default_rng(14)
states = rng.choice(3, 1200, p=[0.93, 0.05, 0.02])
signals = (rng.normal(size=(3, 10))[states] + rng.normal(size=(1200, 10))).astype(np.float32)


class Bearings:
    def __len__(self):
        return len(states)

    def __getitem__(self, at):
        return signals[at], np.int32(states[at])


importance = {"sound": 1.0, "worn": 1.0, "broken": 1.0}
loss = nn.CrossEntropyLoss(weight=Tensor(list(importance.values()), ms.float32))
net = nn.SequentialCell(nn.Dense(10, 24), nn.ReLU(), nn.Dense(24, 3))
model = ms.Model(net, loss, nn.Adam(net.trainable_params(), 0.003))
model.train(6, GeneratorDataset(Bearings(), ["signal", "state"], shuffle=True).batch(40), dataset_sink_mode=False)
