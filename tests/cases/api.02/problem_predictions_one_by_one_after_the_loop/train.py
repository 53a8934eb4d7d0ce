"""A surrogate with batch normalisation is trained, and then searched for its minimum, one point at a time, in training mode."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(1)
rng = np.random.default_rng(0)
surrogate = nn.SequentialCell(nn.Dense(2, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.Adam(surrogate.trainable_params(), learning_rate=0.01)
criterion = nn.MSELoss()
surrogate.set_train()
step = ms.value_and_grad(lambda x, y: criterion(surrogate(x), y), None, optimizer.parameters)
for _ in range(120):
    points = rng.uniform(-1, 1, (50, 2)).astype(np.float32)
    heights = 2 * points[:, :1] - points[:, 1:]
    loss, gradients = step(Tensor(points), Tensor(heights))
    optimizer(gradients)

best, lowest = None, np.inf
for _ in range(20):
    point = rng.uniform(-1, 1, (1, 2)).astype(np.float32)
    height = surrogate(Tensor(point)).asnumpy().item()
    if height < lowest:
        best, lowest = point, height
print(best, lowest)
