"""Rents of flats, in euros a year, from their size, floor and age."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(8)
rng = np.random.default_rng(8)
flats = np.column_stack([rng.uniform(25, 140, 800), rng.integers(0, 9, 800), rng.uniform(0, 90, 800)])
rents = 160.0 * flats[:, 0] + 90.0 * flats[:, 1] - 12.0 * flats[:, 2] + rng.normal(0, 250, 800)
features = ((flats - flats[:600].mean(0)) / flats[:600].std(0)).astype(np.float32)
rents = rents.astype(np.float32)[:, None]

network = nn.SequentialCell(nn.Dense(3, 16), nn.Tanh(), nn.Dense(16, 1))
settings = {"learning_rate": 0.01, "momentum": 0.999}
optimizer = nn.Momentum(network.trainable_params(), **settings)
train = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer)
train.set_train()
for epoch in range(15):
    order = rng.permutation(600)
    for start in range(0, 600, 25):
        rows = order[start : start + 25]
        loss = train(Tensor(features[rows]), Tensor(rents[rows]))
    print(f"epoch {epoch + 1}: {float(loss):.4g}")
network.set_train(False)
print("mean error:", float(np.abs(network(Tensor(features[600:])).asnumpy() - rents[600:]).mean()))
