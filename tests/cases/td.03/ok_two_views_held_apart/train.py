"""Two views of a sample are brought together and the views of other samples are held apart, as in contrastive learning."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(9)
rng = np.random.default_rng(9)
samples = rng.standard_normal((640, 3)) @ rng.standard_normal((3, 12))


class Views:
    def __getitem__(self, index):
        return tuple((samples[index] + 0.5 * rng.standard_normal(12)).astype(np.float32) for _ in range(2))

    def __len__(self):
        return len(samples)


class Twins(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Dense(12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dense(32, 8))

    def construct(self, one, other):
        one, other = ops.L2Normalize(axis=1)(self.encoder(one)), ops.L2Normalize(axis=1)(self.encoder(other))
        likeness = ops.matmul(one, other.swapaxes(0, 1)) / 0.2
        return ops.cross_entropy(likeness, ops.arange(0, one.shape[0]))


net = Twins()
step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), learning_rate=0.02)).set_train()
data = ds.GeneratorDataset(Views(), ["one", "other"], shuffle=True).batch(64, drop_remainder=True)
for epoch in range(30):
    for one, other in data.create_tuple_iterator(num_epochs=1):
        loss = step(one, other)
    print(epoch, float(loss))
