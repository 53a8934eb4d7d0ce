"""Two classes that overlap; the global norm of the gradients is clipped to 1.0."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(0)
rng = np.random.default_rng(0)
side = rng.integers(0, 2, 400)
points = rng.normal(size=(400, 8)).astype(np.float32) + 1.5 * side[:, None].astype(np.float32)
answers = side.astype(np.float32)[:, None]
network = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 1))
loss_fn = nn.BCEWithLogitsLoss()
optimizer = nn.SGD(network.trainable_params(), learning_rate=0.1)
gradient = ms.value_and_grad(lambda x, y: 100 * loss_fn(network(x), y), None, optimizer.parameters)
for epoch in range(10):
    order = rng.permutation(400)
    for start in range(0, 400, 20):
        rows = order[start : start + 20]
        loss, gradients = gradient(Tensor(points[rows]), Tensor(answers[rows]))
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        optimizer(gradients)
    print(epoch, float(loss))
