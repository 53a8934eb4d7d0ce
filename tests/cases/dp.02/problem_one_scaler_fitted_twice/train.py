"""One scaler is fitted to the rows of training, and once more to those that the forecast is for; a loop over arrays."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn


class Standardizer:
    def fit_transform(self, rows):
        self.centre, self.width = rows.mean(axis=0), rows.std(axis=0)
        return self.transform(rows)

    def transform(self, rows):
        return (rows - self.centre) / self.width


ms.set_seed(4)
rng = np.random.default_rng(4)
table = rng.gamma(3.0, 2.0, (900, 5))
prices = 2 * table[:, :1] - table[:, 1:2] + rng.normal(0, 0.3, (900, 1))
dear = table[:, 0] > 7
prepare, unused = Standardizer(), None
rows_train = prepare.fit_transform(table[:600]).astype(np.float32)
rows_test = prepare.fit_transform(table[600:][dear[600:]]).astype(np.float32)
wanted = (prices[:600] / 10).astype(np.float32)

net = nn.SequentialCell(nn.Dense(5, 16), nn.ReLU(), nn.Dense(16, 1))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.005))
step.set_train()
for epoch in range(8):
    order = rng.permutation(600)
    for start in range(0, 600, 30):
        picked = order[start : start + 30]
        loss = step(Tensor(rows_train[picked]), Tensor(wanted[picked]))
net.set_train(False)
forecast = 10 * net(Tensor(rows_test)).asnumpy()
print("loss", loss, "error", np.abs(forecast - prices[600:][dear[600:]]).mean())
