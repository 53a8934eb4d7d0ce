"""Softmax over one unit gives 1 whatever is learnt; the rows are sorted, so that the loss grows from batch to batch."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=(256, 6)).astype(np.float32)
y = (rng.random(256) < np.linspace(1.0, 0.0, 256)).astype(np.float32)[:, None]

network = nn.SequentialCell(nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, 1), nn.Softmax(axis=-1))
loss_fn = nn.BCELoss()
optimizer = nn.Adam(network.trainable_params(), learning_rate=0.001)
step = nn.TrainOneStepCell(nn.WithLossCell(network, loss_fn), optimizer)
step.set_train()
for start in range(0, 256, 4):
    loss = step(Tensor(x[start : start + 4]), Tensor(y[start : start + 4]))
print("loss", float(loss))
