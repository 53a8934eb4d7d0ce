"""A Wasserstein GAN: five critic updates with clipped weights to one of the generator; the losses may have any sign."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(70)
rng = np.random.default_rng(70)
generator = nn.SequentialCell(nn.Dense(3, 32), nn.ReLU(), nn.Dense(32, 2))
critic = nn.SequentialCell(nn.Dense(2, 32), nn.ReLU(), nn.Dense(32, 1))
critic.update_parameters_name("critic.")
opt_g = nn.RMSProp(generator.trainable_params(), 1e-3)
opt_c = nn.RMSProp(critic.trainable_params(), 1e-3)


def noise():
    return Tensor(rng.normal(size=(48, 3)).astype(np.float32))


grad_c = ms.value_and_grad(
    lambda real, z: critic(ops.stop_gradient(generator(z))).mean() - critic(real).mean(), None, opt_c.parameters
)
grad_g = ms.value_and_grad(lambda z: -critic(generator(z)).mean(), None, opt_g.parameters)
for number in range(40):
    for _ in range(5):
        real = Tensor((rng.normal(size=(48, 2)) * [0.3, 1] + [2, -1]).astype(np.float32))
        loss_c, grads = grad_c(real, noise())
        opt_c(grads)
        for weight in critic.trainable_params():
            weight.set_data(ops.clamp(weight, -0.1, 0.1))
    loss_g, grads = grad_g(noise())
    opt_g(grads)
    if number % 10 == 9:
        print(number, float(loss_c), float(loss_g))
