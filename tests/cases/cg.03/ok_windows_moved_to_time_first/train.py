"""The next reading of a tide gauge by a GRU, which takes the time first."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

HOURS = 16
ms.set_seed(2)
rng = np.random.default_rng(2)
hour = np.arange(700)
tide = np.sin(hour / 1.97) + 0.4 * np.sin(hour / 3.8) + 0.05 * rng.normal(size=hour.size)
windows = np.stack([tide[i : i + HOURS] for i in range(len(tide) - HOURS)]).astype(np.float32)
following = tide[HOURS:, None].astype(np.float32)


class Gauge(nn.Cell):
    def __init__(self):
        super().__init__()
        self.memory, self.reading = nn.GRU(1, 16), nn.Dense(16, 1)

    def construct(self, window):
        series = window.swapaxes(0, 1).reshape(HOURS, -1, 1)
        states, _ = self.memory(series)
        return self.reading(states[-1])


data = ds.NumpySlicesDataset((windows, following), ["window", "next"], shuffle=True).batch(36, drop_remainder=True)
gauge = Gauge()
step = nn.TrainOneStepCell(nn.WithLossCell(gauge, nn.MSELoss()), nn.Adam(gauge.trainable_params(), learning_rate=3e-3))
step.set_train()
for epoch in range(4):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss = step(*batch)
    print(epoch, loss)
