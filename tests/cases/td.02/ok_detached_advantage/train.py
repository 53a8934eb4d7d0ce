"""Actor and critic with one trunk; the advantage is detached, as it must be."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(65)
rng = np.random.default_rng(65)


class ActorCritic(nn.Cell):
    def __init__(self):
        super().__init__()
        self.trunk = nn.SequentialCell(nn.Dense(4, 32), nn.Tanh())
        self.actor, self.critic = nn.Dense(32, 3), nn.Dense(32, 1)

    def construct(self, x):
        h = self.trunk(x)
        return self.actor(h), self.critic(h).squeeze(-1)


net = ActorCritic()
optimizer = nn.RMSProp(net.trainable_params(), 3e-3)


def forward(states, actions, rewards):
    logits, value = net(states)
    log_p = ops.log_softmax(logits, axis=-1)
    advantage = ops.stop_gradient(rewards - value)
    chosen = (log_p * actions).sum(-1)
    entropy = -(log_p.exp() * log_p).sum(-1).mean()
    return -(chosen * advantage).mean() + 0.5 * ops.mse_loss(value, rewards) - 0.01 * entropy


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
for number in range(80):
    states = rng.normal(size=(48, 4)).astype(np.float32)
    logits = net(Tensor(states))[0].asnumpy()
    noisy = logits + rng.gumbel(size=logits.shape)
    actions = np.eye(3, dtype=np.float32)[noisy.argmax(1)]
    rewards = (actions.argmax(1) == states[:, :3].argmax(1)).astype(np.float32)
    loss, grads = grad_fn(Tensor(states), Tensor(actions), Tensor(rewards))
    optimizer(grads)
    if number % 20 == 19:
        print(number, float(loss), rewards.mean())
