"""A small GAN, alternating two optimizers in functional steps; its losses stay near the middle, as they should."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(62)
rng = np.random.default_rng(62)
generator = nn.SequentialCell(nn.Dense(4, 32), nn.ReLU(), nn.Dense(32, 2))
discriminator = nn.SequentialCell(nn.Dense(2, 32), nn.LeakyReLU(0.2), nn.Dense(32, 1))
for parameter in discriminator.get_parameters():
    parameter.name = "d." + parameter.name
opt_g = nn.Adam(generator.trainable_params(), 1e-3, beta1=0.5)
opt_d = nn.Adam(discriminator.trainable_params(), 1e-3, beta1=0.5)
bce = nn.BCEWithLogitsLoss()


def d_loss(real, z):
    fake = ops.stop_gradient(generator(z))
    given, made = discriminator(real), discriminator(fake)
    return bce(given, ops.ones_like(given)) + bce(made, ops.zeros_like(made))


def g_loss(z):
    score = discriminator(generator(z))
    return bce(score, ops.ones_like(score))


grad_d = ms.value_and_grad(d_loss, None, opt_d.parameters)
grad_g = ms.value_and_grad(g_loss, None, opt_g.parameters)
for step in range(200):
    angle = rng.uniform(0, 6.28, 64)
    real = Tensor(np.stack([np.cos(angle), np.sin(angle)], 1).astype(np.float32))
    loss_d, grads = grad_d(real, Tensor(rng.normal(size=(64, 4)).astype(np.float32)))
    opt_d(grads)
    loss_g, grads = grad_g(Tensor(rng.normal(size=(64, 4)).astype(np.float32)))
    opt_g(grads)
    if step % 50 == 0:
        print(step, loss_d, loss_g)
