"""Many cart-pole environments that move together."""

import numpy as np


class CartPole:
    """The classic control problem: keep the pole upright by pushing the cart left (0) or right (1)."""

    def __init__(self, count, max_steps=200, seed=0):
        self.count, self.max_steps = count, max_steps
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.state = self.rng.uniform(-0.05, 0.05, (self.count, 4))
        self.steps = 0
        self.alive = np.ones(self.count, bool)
        return self.state.astype(np.float32)

    def step(self, actions):
        """States, rewards (1 while the pole stands) and whether all are over."""
        x, v, angle, spin = self.state.T
        force = np.where(actions == 1, 10.0, -10.0)
        sin, cos = np.sin(angle), np.cos(angle)
        temp = (force + 0.05 * spin**2 * sin) / 1.1
        spin_acc = (9.8 * sin - cos * temp) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        acc = temp - 0.05 * spin_acc * cos / 1.1
        self.state = np.stack([x + 0.02 * v, v + 0.02 * acc, angle + 0.02 * spin, spin + 0.02 * spin_acc], axis=1)
        rewards = self.alive.astype(np.float32)
        self.alive &= (abs(self.state[:, 0]) < 2.4) & (abs(self.state[:, 2]) < 0.2095)
        self.steps += 1
        return self.state.astype(np.float32), rewards, not self.alive.any() or self.steps >= self.max_steps
