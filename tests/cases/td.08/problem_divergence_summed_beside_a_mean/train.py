"""A variational autoencoder of curves."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

WEIGHT = 1.0
ms.set_seed(12)
rng = np.random.default_rng(12)
time = np.linspace(0, 1, 32)
height, shift = rng.uniform(0.5, 1.5, (2, 1500, 1))
curves = (height * np.sin(2 * np.pi * (time + shift)) + 0.05 * rng.standard_normal((1500, 32))).astype(np.float32)


class Autoencoder(nn.Cell):
    def __init__(self, codes=4):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Dense(32, 64), nn.ReLU(), nn.Dense(64, 2 * codes))
        self.decoder = nn.SequentialCell(nn.Dense(codes, 64), nn.ReLU(), nn.Dense(64, 32))
        self.codes = codes
        self.loss = nn.MSELoss()

    def construct(self, curve):
        both = self.encoder(curve)
        mean, log_var = both[:, : self.codes], both[:, self.codes :]
        code = mean + ops.exp(0.5 * log_var) * ops.standard_normal(mean.shape)
        error = self.loss(self.decoder(code), curve)
        kl = 0.5 * (ops.square(mean) + ops.exp(log_var) - log_var - 1).sum(axis=1).mean()
        return error + WEIGHT * kl


net = Autoencoder()
step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.003))
step.set_train()
data = ds.NumpySlicesDataset((curves,), ["curve"], shuffle=True).batch(50)
for (curve,) in data.create_tuple_iterator(num_epochs=20):
    loss = step(curve)
print("loss", loss)
