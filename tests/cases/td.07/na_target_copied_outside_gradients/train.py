"""Q values of a chain of states bootstrap from a target network, outside the gradient; every tenth update copies the weights."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(2)
rng = np.random.default_rng(2)
STATES, GAMMA = 6, 0.9


class Values(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Dense(STATES, 16), nn.Dense(16, 1)

    def construct(self, states):
        return self.out(ops.relu(self.hidden(states))).squeeze(-1)


online = Values()
target_net = Values()
optimizer = nn.Adam(online.trainable_params(), learning_rate=0.01)


def copy_weights():
    for trained, kept in zip(online.get_parameters(), target_net.get_parameters()):
        kept.set_data(trained.value().copy())


def forward(states, goal):
    return ops.mse_loss(online(states), goal)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
rows = np.eye(STATES, dtype=np.float32)
copy_weights()
for number in range(60):
    at = rng.integers(0, STATES - 1, 32)
    ended = (at + 1 == STATES - 1).astype(np.float32)
    following = target_net(Tensor(rows[at + 1])).asnumpy()
    loss, grads = grad_fn(Tensor(rows[at]), Tensor(ended + GAMMA * following * (1 - ended)))
    optimizer(grads)
    if number % 10 == 9:
        copy_weights()
    if number % 20 == 19:
        print(number, float(loss))
