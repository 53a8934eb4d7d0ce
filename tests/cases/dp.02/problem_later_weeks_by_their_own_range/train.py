"""The later weeks are brought to -1 to 1 by a scaler of their own, made and fitted in one expression; TrainOneStepCell."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn


class RangeScaler:
    def fit(self, values):
        self.low, self.high = values.min(), values.max()
        return self

    def fit_transform(self, values):
        return self.fit(values).transform(values)

    def transform(self, values):
        return (2 * (values - self.low) / (self.high - self.low) - 1).astype(np.float32)


ms.set_seed(8)
rng = np.random.default_rng(8)
weeks = np.arange(400)
orders = 80 + 1.5 * weeks + 30 * np.sin(2 * np.pi * weeks / 26) + rng.normal(0, 4, 400)
train_part, test_part = orders[:280], orders[280:]
scaler = RangeScaler()
train_scaled = scaler.fit_transform(train_part)
test_scaled = RangeScaler().fit_transform(test_part)


def rows_of(series):
    rows = np.stack([series[at : at + 9] for at in range(len(series) - 8)])
    return rows[:, :8], rows[:, 8:]


x, y = rows_of(train_scaled)
x_test, y_test = rows_of(test_scaled)
net = nn.SequentialCell([nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 1)])
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.005))
step.set_train()
for epoch in range(25):
    order = rng.permutation(len(x))
    for start in range(0, len(x) - 15, 16):
        loss = step(Tensor(x[order[start : start + 16]]), Tensor(y[order[start : start + 16]]))
net.set_train(False)
forecast = net(Tensor(x_test)).asnumpy()
half = (scaler.high - scaler.low) / 2
print("loss", loss, "error", np.abs((forecast + 1) * half + scaler.low - test_part[8:, None]).mean())
