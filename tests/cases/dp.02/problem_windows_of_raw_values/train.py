"""The test windows are cut from the values as they came, those of training from standardised ones."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(3)
rng = np.random.default_rng(3)
time = np.arange(500)
values = 120 + 35 * np.sin(time / 4) + 3 * rng.normal(size=500)


def windows(series, length=12):
    rows = np.stack([series[i : i + length] for i in range(len(series) - length)])
    return rows.astype(np.float32), series[length:, None].astype(np.float32)


mean, std = values[:400].mean(), values[:400].std()
x, y = windows((values[:400] - mean) / std)
x_test, y_test = windows(values[400:])  # the fault
network = nn.SequentialCell(nn.Dense(12, 16), nn.ReLU(), nn.Dense(16, 1))
step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), nn.Adam(network.trainable_params(), 0.01))
step.set_train()
for epoch in range(8):
    order = rng.permutation(len(x))
    for first in range(0, len(x), 32):
        rows = order[first : first + 32]
        loss = step(Tensor(x[rows]), Tensor(y[rows]))
    print(epoch, float(loss))
network.set_train(False)
guess = network(Tensor(x_test)).asnumpy()
print("test", ((guess * std + mean - y_test) ** 2).mean())
