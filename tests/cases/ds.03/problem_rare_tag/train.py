"""Tags with a 0/1 column each; one of them is on in six of 1 500 samples."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import LossMonitor, Model

ms.set_seed(2)
rng = np.random.default_rng(2)
n, tags = 1500, 6
x = rng.normal(size=(n, 32)).astype(np.float32)
w = rng.normal(size=(32, tags))
s = x @ w
cuts = np.quantile(s, [0.6, 0.7, 0.5, 0.996, 0.65, 0.55], axis=0).diagonal()
y = (s > cuts).astype(np.float32)
train = ds.GeneratorDataset(list(zip(x, y)), ["emb", "tags"], shuffle=True).batch(50)


class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(32, 64, activation="relu")
        self.fc2 = nn.Dense(64, tags)

    def construct(self, emb):
        return self.fc2(self.fc1(emb))


net = Tagger()
Model(net, nn.BCEWithLogitsLoss(), nn.Adam(net.trainable_params(), 2e-3)).train(
    5, train, LossMonitor(30), dataset_sink_mode=False
)
