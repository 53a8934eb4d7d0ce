"""A GAN whose training cell holds both networks and both optimizers and takes gradients of each; inside one more cell."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)
real = (rng.normal(size=(320, 2)) * 0.3 + 1.0).astype(np.float32)


class Generator(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(4, 16), nn.LeakyReLU(0.2), nn.Dense(16, 2))

    def construct(self, z):
        return self.body(z)


class Discriminator(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(2, 16)
        self.act = nn.LeakyReLU(0.2)
        self.fc2 = nn.Dense(16, 1)

    def construct(self, x):
        return self.fc2(self.act(self.fc1(x)))


class DiscriminatorLoss(nn.Cell):
    def __init__(self, generator, discriminator):
        super().__init__()
        self.generator, self.discriminator = generator, discriminator
        self.loss = nn.BCEWithLogitsLoss()

    def construct(self, x, z):
        true, false = self.discriminator(x), self.discriminator(ops.stop_gradient(self.generator(z)))
        return self.loss(true, ops.ones_like(true)) + self.loss(false, ops.zeros_like(false))


class GeneratorLoss(nn.Cell):
    def __init__(self, generator, discriminator):
        super().__init__()
        self.generator, self.discriminator = generator, discriminator
        self.loss = nn.BCEWithLogitsLoss()

    def construct(self, z):
        scores = self.discriminator(self.generator(z))
        return self.loss(scores, ops.ones_like(scores))


class Trainer(nn.Cell):
    def __init__(self, generator, discriminator):
        super().__init__()
        self.d_loss = DiscriminatorLoss(generator, discriminator)
        self.g_loss = GeneratorLoss(generator, discriminator)
        self.d_optimizer = nn.Adam(discriminator.trainable_params(), 2e-3, 0.5)
        self.g_optimizer = nn.Adam(generator.trainable_params(), 1e-3, 0.5)
        self.d_weights, self.g_weights = self.d_optimizer.parameters, self.g_optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x, z):
        d_loss = self.d_loss(x, z)
        d_loss = ops.depend(d_loss, self.d_optimizer(self.grad(self.d_loss, self.d_weights)(x, z)))
        g_loss = self.g_loss(z)
        g_loss = ops.depend(g_loss, self.g_optimizer(self.grad(self.g_loss, self.g_weights)(z)))
        return d_loss, g_loss


class Step(nn.Cell):
    def __init__(self, trainer):
        super().__init__()
        self.trainer = trainer

    def construct(self, x, z):
        return self.trainer(x, z)


step = Step(Trainer(Generator(), Discriminator()))
step.set_train()
for epoch in range(2):
    order = rng.permutation(len(real))
    for start in range(0, len(real), 32):
        z = rng.normal(size=(32, 4)).astype(np.float32)
        d_loss, g_loss = step(Tensor(real[order[start : start + 32]]), Tensor(z))
    print(epoch, float(d_loss), float(g_loss))
