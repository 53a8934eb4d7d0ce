"""Q values of a chain of states bootstrap from a target network into which nothing is ever copied; a functional loop."""

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
    ms.load_param_into_net(target_net, online.parameters_dict())


def forward(states, following, rewards, ended):
    goal = rewards + GAMMA * target_net(following) * (1 - ended)
    return ops.mse_loss(online(states), ops.stop_gradient(goal))


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


def step(states, following, rewards, ended):
    loss, grads = grad_fn(states, following, rewards, ended)
    optimizer(grads)
    return loss


rows = np.eye(STATES, dtype=np.float32)
for number in range(60):
    at = rng.integers(0, STATES - 1, 32)
    ended = (at + 1 == STATES - 1).astype(np.float32)
    loss = step(Tensor(rows[at]), Tensor(rows[at + 1]), Tensor(ended), Tensor(ended))
    if number % 20 == 19:
        print(number, float(loss))
