"""A policy gradient whose scores of the actions end in a ReLU."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)


class Policy(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(4, 16)
        self.fc2 = nn.Dense(16, 3)

    def construct(self, state):
        return ops.relu(self.fc2(ops.relu(self.fc1(state))))


policy = Policy()
optimizer = nn.Adam(policy.trainable_params(), 1e-2)


def loss_fn(states, actions, advantages):
    log_prob = ops.log_softmax(policy(states), axis=1)
    chosen = (log_prob * ops.one_hot(actions, 3, Tensor(1.0), Tensor(0.0))).sum(1)
    return -(chosen * advantages).mean()


grad_fn = ms.value_and_grad(loss_fn, None, optimizer.parameters)
policy.set_train()
for episode in range(20):
    states = rng.normal(size=(16, 4)).astype(np.float32)
    actions = rng.integers(0, 3, 16).astype(np.int32)
    rewards = (actions == states[:, :3].argmax(1)).astype(np.float32) + 0.1 * rng.normal(size=16).astype(np.float32)
    advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-8)
    loss, grads = grad_fn(Tensor(states), Tensor(actions), Tensor(advantages))
    optimizer(grads)
print(float(loss))
