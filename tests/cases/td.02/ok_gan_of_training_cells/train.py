"""A GAN with two training cells in graph mode: the discriminator's is fed detached samples."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(63)
rng = np.random.default_rng(63)
real = (rng.normal(size=(1600, 1)) * 0.5 + 3).astype(np.float32)
data = ds.NumpySlicesDataset({"real": real}, shuffle=True).batch(32, drop_remainder=True)


class Generator(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(3, 24), nn.Dense(24, 1)

    def construct(self, z):
        return self.out(ops.tanh(self.hidden(z)))


class Critic(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(1, 24), nn.Dense(24, 1)

    def construct(self, x):
        return ops.sigmoid(self.out(ops.relu(self.hidden(x))))


class CriticLoss(nn.Cell):
    def __init__(self, generator, critic):
        super().__init__(auto_prefix=False)
        self.generator, self.critic, self.loss = generator, critic, nn.BCELoss(reduction="mean")

    def construct(self, x, z):
        given = self.critic(x)
        made = self.critic(ops.stop_gradient(self.generator(z)))
        return self.loss(given, ops.ones_like(given)) + self.loss(made, ops.zeros_like(made))


class GeneratorLoss(nn.Cell):
    def __init__(self, generator, critic):
        super().__init__(auto_prefix=False)
        self.generator, self.critic, self.loss = generator, critic, nn.BCELoss(reduction="mean")

    def construct(self, z):
        made = self.critic(self.generator(z))
        return self.loss(made, ops.ones_like(made))


generator, critic = Generator(), Critic()
generator.update_parameters_name("g.")
critic.update_parameters_name("c.")
train_critic = nn.TrainOneStepCell(CriticLoss(generator, critic), nn.Adam(critic.trainable_params(), 2e-3, beta1=0.5))
train_generator = nn.TrainOneStepCell(
    GeneratorLoss(generator, critic), nn.Adam(generator.trainable_params(), 2e-3, beta1=0.5)
)
for cell in (train_critic, train_generator):
    cell.set_train()
for epoch in range(3):
    for (x,) in data.create_tuple_iterator(num_epochs=1):
        z = Tensor(rng.normal(size=(32, 3)).astype(np.float32))
        loss_c = train_critic(x, z)
        loss_g = train_generator(z)
    print(epoch, loss_c, loss_g, float(generator(z).mean()))
