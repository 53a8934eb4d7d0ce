"""An actor and a critic on a bandit with states: the loss swings about nothing while the mean reward rises."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(6)
rng = np.random.default_rng(6)


class ActorCritic(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(4, 16), nn.Tanh())
        self.actor, self.critic = nn.Dense(16, 3), nn.Dense(16, 1)

    def construct(self, states):
        hidden = self.body(states)
        return ops.log_softmax(self.actor(hidden), -1), self.critic(hidden).squeeze(-1)


net = ActorCritic()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.02)


def forward(states, actions, rewards):
    logs, values = net(states)
    gain = ops.stop_gradient(rewards - values)
    chosen = logs.gather_elements(1, actions.expand_dims(1)).squeeze(1)
    return -(chosen * gain).mean() + 0.5 * (values - rewards).square().mean()


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
for number in range(120):
    states = rng.standard_normal((16, 4)).astype(np.float32)
    shares = np.exp(net(Tensor(states))[0].asnumpy())
    actions = np.array([rng.choice(3, p=one / one.sum()) for one in shares.astype(np.float64)], np.int32)
    rewards = (actions == states[:, :3].argmax(1)).astype(np.float32) * 4 + rng.standard_normal(16).astype(
        np.float32
    ) * 3
    loss, grads = grad_fn(Tensor(states), Tensor(actions), Tensor(rewards))
    optimizer(grads)
    if number % 40 == 39:
        print(number, rewards.mean())
