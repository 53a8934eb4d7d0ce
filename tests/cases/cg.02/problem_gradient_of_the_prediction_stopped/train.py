"""Values of a random walk by temporal differences, in a loss cell."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import LossMonitor, Model

ms.set_seed(4)
rng = np.random.default_rng(4)
STATES, GAMMA = 9, 0.95


def walks(count):
    """Steps left and right with equal chance; leaving at the right end is rewarded with 1."""
    rows = []
    for _ in range(count):
        state = STATES // 2
        while True:
            following = state + rng.choice((-1, 1))
            over = following in (-1, STATES)
            rows.append((state, float(following == STATES), min(max(following, 0), STATES - 1), float(not over)))
            if over:
                break
            state = following
    return rows


class TemporalDifference(nn.Cell):
    """The squared error of one step."""

    def __init__(self, value):
        super().__init__()
        self.value = value
        self.loss = nn.MSELoss()

    def construct(self, state, reward, following, goes_on):
        predicted = self.value(state).squeeze(-1)
        target = reward + GAMMA * goes_on * self.value(following).squeeze(-1)
        return self.loss(ops.stop_gradient(predicted), target)


one_hot = np.eye(STATES, dtype=np.float32)
states, rewards, followings, go_on = map(np.array, zip(*walks(120)))
columns = (one_hot[states], rewards.astype(np.float32), one_hot[followings], go_on.astype(np.float32))
data = ds.NumpySlicesDataset(columns, ["state", "reward", "following", "goes_on"], shuffle=True).batch(64, True)

net = nn.SequentialCell(nn.Dense(STATES, 24), nn.Tanh(), nn.Dense(24, 1))
model = Model(TemporalDifference(net), optimizer=nn.Adam(net.trainable_params(), 0.01))
model.train(12, data, callbacks=[LossMonitor(100)], dataset_sink_mode=False)

net.set_train(False)
print("values:", np.round(net(ms.Tensor(one_hot)).asnumpy().ravel(), 2))
