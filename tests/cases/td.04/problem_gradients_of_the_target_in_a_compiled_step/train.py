"""A compiled step differentiates by the weights of the frozen copy, and updates those of the network."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(14)
rng = np.random.default_rng(14)


class Values(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(6, 24), nn.Dense(24, 3)

    def construct(self, states):
        return self.out(ops.relu(self.hidden(states)))


online, copy = Values(), Values()
copy.update_parameters_name("copy.")
optimizer = nn.Momentum(online.trainable_params(), 0.02, 0.9)


def forward(states, wanted):
    return ops.mse_loss(online(states) + 0.5 * copy(states), wanted)


grad_fn = ms.value_and_grad(forward, None, copy.trainable_params())


@ms.jit
def step(states, wanted):
    loss, grads = grad_fn(states, wanted)
    optimizer(grads)  # here
    return loss


for number in range(120):
    states = rng.normal(size=(32, 6)).astype(np.float32)
    wanted = np.stack([states[:, 0], states[:, 1] * states[:, 2], states[:, 3]], 1)
    loss = step(Tensor(states), Tensor(wanted))
    if number % 40 == 39:
        print(number, loss)
