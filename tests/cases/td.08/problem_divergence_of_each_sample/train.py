"""A variational autoencoder: the squared errors averaged over values, and the divergence summed over the latents."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)
latent = rng.standard_normal((640, 3))
samples = np.tanh(latent @ rng.standard_normal((3, 20)) / 2).astype(np.float32)


class Autoencoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Dense(20, 32), nn.ReLU(), nn.Dense(32, 8))
        self.decoder = nn.SequentialCell(nn.Dense(4, 32), nn.ReLU(), nn.Dense(32, 20))

    def construct(self, x):
        mean, log_variance = self.encoder(x).chunk(2, axis=1)
        drawn = mean + ops.exp(log_variance / 2) * ops.standard_normal(mean.shape)
        return self.decoder(drawn), mean, log_variance


net = Autoencoder()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.005)


def forward(x):
    made, mean, log_variance = net(x)
    error = ((made - x) ** 2).mean()
    divergence = -0.5 * (1 + log_variance - mean**2 - ops.exp(log_variance)).sum(axis=1).mean()
    return error + divergence


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
data = ds.NumpySlicesDataset({"x": samples}, shuffle=True).batch(32, drop_remainder=True)
for epoch in range(12):
    for (x,) in data.create_tuple_iterator():
        loss, grads = grad_fn(x)
        optimizer(grads)
    print(epoch, float(loss))
