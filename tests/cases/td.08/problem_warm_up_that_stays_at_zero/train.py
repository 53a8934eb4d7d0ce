"""A variational autoencoder whose divergence is weighed by a share of whole numbers, which is 0."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
x = (rng.normal(size=(640, 2)) @ rng.normal(size=(2, 16)) + 0.2 * rng.normal(size=(640, 16))).astype(np.float32)
data = ds.NumpySlicesDataset((x,), ["x"], shuffle=True).batch(32)
EPOCHS, WARM = 14, 5


class VAE(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Dense(16, 32), nn.ReLU())
        self.mean, self.log_variance = nn.Dense(32, 2), nn.Dense(32, 2)
        self.decoder = nn.SequentialCell(nn.Dense(2, 32), nn.ReLU(), nn.Dense(32, 16))

    def construct(self, x, noise):
        hidden = self.encoder(x)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        return self.decoder(mean + ops.exp(0.5 * log_variance) * noise), mean, log_variance


def weight(epoch):
    return min(epoch + 1, WARM - 1) // WARM


net = VAE()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.003)


def forward(x, noise, beta):
    made, mean, log_variance = net(x, noise)
    reconstruction = ((made - x) ** 2).sum(axis=1).mean()
    divergence = (-0.5 * (1 + log_variance - mean**2 - ops.exp(log_variance)).sum(axis=1)).mean()
    return reconstruction + beta * divergence


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(x, noise, beta):
    loss, grads = grad_fn(x, noise, beta)
    optimizer(grads)
    return loss


for epoch in range(EPOCHS):
    beta = ms.Tensor(weight(epoch), ms.float32)
    for (batch,) in data.create_tuple_iterator():
        noise = ms.Tensor(rng.normal(size=(batch.shape[0], 2)).astype(np.float32))
        loss = train_step(batch, noise, beta)
    print(epoch, float(loss))
