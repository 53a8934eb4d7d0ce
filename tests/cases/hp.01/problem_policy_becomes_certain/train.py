"""Which of three levers, told by the state, by policy gradient: at a rate of 3 it is certain after a step, and stays so."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(1)
rng = np.random.default_rng(1)

policy = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 3))
optimizer = nn.Adam(policy.trainable_params(), learning_rate=3.0)


def loss_fn(states, actions, advantages):
    chosen = (ops.log_softmax(policy(states), -1) * ops.one_hot(actions, 3, Tensor(1.0), Tensor(0.0))).sum(1)
    return -(chosen * advantages).mean()


grad_fn = ms.value_and_grad(loss_fn, None, optimizer.parameters)
for number in range(60):
    states = rng.standard_normal((32, 4)).astype(np.float32)
    shares = ops.softmax(policy(Tensor(states)), -1).asnumpy().astype(np.float64)
    actions = np.array([rng.choice(3, p=one / one.sum()) for one in shares], np.int32)
    rewards = (actions == states[:, :3].argmax(1)).astype(np.float32)
    advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
    loss, gradients = grad_fn(Tensor(states), Tensor(actions), Tensor(advantages))
    optimizer(gradients)
    if number % 20 == 19:
        print(number, rewards.mean())
