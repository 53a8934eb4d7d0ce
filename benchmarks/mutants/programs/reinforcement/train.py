"""REINFORCE with a baseline on the cart-pole problem."""

import argparse

import mindspore as ms
import numpy as np
from cartpole import CartPole
from mindspore import Tensor, nn, ops

parser = argparse.ArgumentParser()
parser.add_argument("--iterations", type=int, default=40)
parser.add_argument("--gamma", type=float, default=0.99)
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(args.seed)
rng = np.random.default_rng(args.seed)


class PolicyNet(nn.Cell):
    """Logits of the two actions."""

    def __init__(self, state_size=4, hidden_size=32, action_size=2):
        super().__init__()
        self.fc1 = nn.Dense(state_size, hidden_size)
        self.fc2 = nn.Dense(hidden_size, action_size)
        self.relu = nn.ReLU()

    def construct(self, state):
        return self.fc2(self.relu(self.fc1(state)))


policy = PolicyNet()
optimizer = nn.Adam(policy.trainable_params(), learning_rate=args.lr)


def act(states, greedy=False):
    """An action for each state."""
    logits = policy(Tensor(states)).asnumpy().astype(np.float64)
    if greedy:
        return logits.argmax(1)
    prob = np.exp(logits - logits.max(1, keepdims=True))
    prob /= prob.sum(1, keepdims=True)
    return (rng.random(len(states)) > prob[:, 0]).astype(np.int32)


def play(env, greedy=False):
    """States, actions, rewards of one episode in each environment, shape (steps, environments)."""
    states, actions, rewards = [], [], []
    state, over = env.reset(), False
    while not over:
        action = act(state, greedy)
        states.append(state)
        actions.append(action)
        state, reward, over = env.step(action)
        rewards.append(reward)
    return np.array(states), np.array(actions), np.array(rewards)


def discounted(rewards, gamma):
    returns, running = np.zeros_like(rewards), 0.0
    for step in reversed(range(len(rewards))):
        running = rewards[step] + gamma * running
        returns[step] = running
    return returns


def loss_fn(states, actions, advantages):
    log_prob = ops.log_softmax(policy(states), axis=1)
    chosen = (log_prob * ops.one_hot(actions, 2, Tensor(1.0), Tensor(0.0))).sum(1)
    return -(chosen * advantages).mean()


grad_fn = ms.value_and_grad(loss_fn, None, optimizer.parameters)
env = CartPole(count=16, seed=args.seed)
policy.set_train()
for iteration in range(args.iterations):
    states, actions, rewards = play(env)
    returns = discounted(rewards, args.gamma)
    taken = rewards > 0
    advantages = (returns[taken] - returns[taken].mean()) / (returns[taken].std() + 1e-8)
    loss, grads = grad_fn(Tensor(states[taken]), Tensor(actions[taken], ms.int32), Tensor(advantages, ms.float32))
    optimizer(grads)
    if iteration % 5 == 4:
        print(f"iteration {iteration + 1}: loss {float(loss.asnumpy()):.4f}, return {rewards.sum(0).mean():.1f}")

policy.set_train(False)
score = play(CartPole(count=64, seed=1234), greedy=True)[2].sum(0).mean()
print(f"result: mean_return {score:.2f}")
