"""The generator's loss is computed on detached samples, as the discriminator's is: it gets no gradient. Training cells."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(12)
rng = np.random.default_rng(12)
real = (rng.normal(size=(960, 2)) * [0.2, 0.6] + [1.0, -1.0]).astype(np.float32)
data = ds.NumpySlicesDataset({"real": real}, shuffle=True).batch(32)


class Generator(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(4, 24), nn.Dense(24, 2)

    def construct(self, z):
        return self.out(ops.relu(self.hidden(z)))

    def sample(self, z):
        return ops.stop_gradient(self.construct(z))


class DiscriminatorLoss(nn.Cell):
    def __init__(self, generator, discriminator):
        super().__init__(auto_prefix=False)
        self.generator, self.discriminator = generator, discriminator
        self.loss = nn.BCEWithLogitsLoss()

    def construct(self, x, z):
        given, made = self.discriminator(x), self.discriminator(self.generator.sample(z))
        return self.loss(given, ops.ones_like(given)) + self.loss(made, ops.zeros_like(made))


class GeneratorLoss(nn.Cell):
    def __init__(self, generator, discriminator):
        super().__init__(auto_prefix=False)
        self.generator, self.discriminator = generator, discriminator
        self.loss = nn.BCEWithLogitsLoss()

    def construct(self, z):
        made = self.discriminator(self.generator.sample(z))
        return self.loss(made, ops.ones_like(made))


generator = Generator()
discriminator = nn.SequentialCell(nn.Dense(2, 24), nn.LeakyReLU(0.2), nn.Dense(24, 1))
generator.update_parameters_name("g.")
discriminator.update_parameters_name("d.")
step_d = nn.TrainOneStepCell(
    DiscriminatorLoss(generator, discriminator), nn.Adam(discriminator.trainable_params(), 1e-3, beta1=0.5)
)
step_g = nn.TrainOneStepCell(
    GeneratorLoss(generator, discriminator), nn.Adam(generator.trainable_params(), 1e-3, beta1=0.5)
)
step_d.set_train()
step_g.set_train()
for epoch in range(3):
    for (x,) in data.create_tuple_iterator(num_epochs=1):
        loss_d = step_d(x, Tensor(rng.normal(size=(32, 4)).astype(np.float32)))
        loss_g = step_g(Tensor(rng.normal(size=(32, 4)).astype(np.float32)))
    print(epoch, loss_d, loss_g)
