"""The optimizer of the generator is given all weights of its loss cell, those of the discriminator too."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(3)
rng = np.random.default_rng(3)


class Judged(nn.Cell):
    """The loss of the generator."""

    def __init__(self, generator, discriminator):
        super().__init__()
        self.generator, self.discriminator = generator, discriminator
        self.loss = nn.BCEWithLogitsLoss()

    def construct(self, noise):
        scores = self.discriminator(self.generator(noise))
        return self.loss(scores, ops.ones_like(scores))


class Told(nn.Cell):
    """The loss of the discriminator."""

    def __init__(self, generator, discriminator):
        super().__init__()
        self.generator, self.discriminator = generator, discriminator
        self.loss = nn.BCEWithLogitsLoss()

    def construct(self, real, noise):
        scores, made = self.discriminator(real), self.discriminator(ops.stop_gradient(self.generator(noise)))
        return self.loss(scores, ops.ones_like(scores)) + self.loss(made, ops.zeros_like(made))


generator = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 2))
discriminator = nn.SequentialCell(nn.Dense(2, 16), nn.ReLU(), nn.Dense(16, 1))
judged, told = Judged(generator, discriminator), Told(generator, discriminator)
make = nn.TrainOneStepCell(judged, nn.Adam(judged.trainable_params(), 1e-3, beta1=0.5)).set_train()
tell = nn.TrainOneStepCell(told, nn.Adam(discriminator.trainable_params(), 1e-3, beta1=0.5)).set_train()
for step in range(60):
    real = Tensor((rng.normal(size=(32, 2)) + 2).astype(np.float32))
    noise = Tensor(rng.normal(size=(32, 4)).astype(np.float32))
    losses = tell(real, noise), make(noise)
    if step % 20 == 19:
        print(step, *[float(one) for one in losses])
