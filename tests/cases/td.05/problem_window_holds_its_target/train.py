"""The next value of a series from the last twelve."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(1)
rng = np.random.default_rng(1)
time = np.arange(900, dtype=np.float32)
series = np.sin(time / 7) + 0.5 * np.cos(time / 31) + 0.2 * rng.normal(size=900).astype(np.float32)
WIDTH = 12
windows = np.lib.stride_tricks.sliding_window_view(series, WIDTH).astype(np.float32)
following = series[WIDTH - 1 :].astype(np.float32)


class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(1, 16, batch_first=True), nn.Dense(16, 1)

    def construct(self, x):
        hidden, _ = self.lstm(x.expand_dims(-1))
        return self.head(hidden[:, -1]).squeeze(-1)


net = Recurrent()
optimizer = nn.Adam(net.trainable_params(), 0.01)


def forward(x, y):
    return ops.mse_loss(net(x), y)


step = ms.value_and_grad(forward, None, optimizer.parameters)
for epoch in range(6):
    order = rng.permutation(700)
    for begin in range(0, 700, 32):
        rows = order[begin : begin + 32]
        loss, gradients = step(Tensor(windows[rows]), Tensor(following[rows]))
        optimizer(gradients)
    print(epoch, float(loss))
