"""The discriminator of a GAN: a sigmoid, and the binary cross entropy with ones and zeros."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
real = rng.normal(2, 0.5, size=(640, 4)).astype(np.float32)
data = ds.NumpySlicesDataset((real,), ["real"], shuffle=True).batch(32)
generator = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 4))
discriminator = nn.SequentialCell(nn.Dense(4, 16), nn.LeakyReLU(), nn.Dense(16, 1), nn.Sigmoid())
bce = nn.BCELoss(reduction="mean")
for_generator = nn.Adam(generator.trainable_params(), learning_rate=1e-3)
for_discriminator = nn.Adam(discriminator.trainable_params(), learning_rate=1e-3)


def judge(real, noise):
    true, fake = discriminator(real), discriminator(ops.stop_gradient(generator(noise)))
    return bce(true, ops.ones_like(true)) + bce(fake, ops.zeros_like(fake))


def fool(noise):
    fake = discriminator(generator(noise))
    return bce(fake, ops.ones_like(fake))


judge_grad = ms.value_and_grad(judge, None, for_discriminator.parameters)
fool_grad = ms.value_and_grad(fool, None, for_generator.parameters)
for epoch in range(2):
    for (batch,) in data.create_tuple_iterator(num_epochs=1):
        noise = ms.Tensor(rng.normal(size=(len(batch), 8)).astype(np.float32))
        loss, grads = judge_grad(batch, noise)
        for_discriminator(grads)
        fooled, grads = fool_grad(noise)
        for_generator(grads)
    print(epoch, float(loss), float(fooled))
