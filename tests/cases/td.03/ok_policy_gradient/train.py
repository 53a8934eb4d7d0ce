"""Policy gradients (REINFORCE) on a line of seven places: the loss is no measure of what is learnt, the rewards are."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(64)
rng = np.random.default_rng(64)
PLACES, GAMMA = 7, 0.95
policy = nn.SequentialCell(nn.Dense(PLACES, 24), nn.Tanh(), nn.Dense(24, 2))
optimizer = nn.Adam(policy.trainable_params(), 0.01)


def forward(states, actions, weights):
    chosen = ops.gather_d(ops.log_softmax(policy(states), axis=-1), 1, actions)
    return -(chosen.squeeze(1) * weights).mean()


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


def episode():
    at, states, actions, rewards = 3, [], [], []
    for _ in range(20):
        state = np.eye(PLACES, dtype=np.float32)[at]
        scores = policy(Tensor(state[None])).asnumpy()[0]
        share = np.exp(scores - scores.max())
        action = int(rng.random() < share[1] / share.sum())
        at += 1 if action else -1
        states.append(state)
        actions.append([action])
        rewards.append(1.0 if at == PLACES - 1 else -0.02)
        if at in (0, PLACES - 1):
            break
    returns = np.zeros(len(rewards), np.float32)
    following = 0.0
    for i in reversed(range(len(rewards))):
        following = returns[i] = rewards[i] + GAMMA * following
    return states, actions, returns


baseline = 0.0
for number in range(60):
    runs = [episode() for _ in range(4)]
    states, actions, returns = (np.concatenate([run[k] for run in runs]) for k in range(3))
    baseline = 0.9 * baseline + 0.1 * returns.mean()
    loss, grads = grad_fn(
        Tensor(states), Tensor(actions.astype(np.int32)), Tensor((returns - baseline).astype(np.float32))
    )
    optimizer(grads)
    if number % 20 == 19:
        print(number, float(loss), returns.mean())
