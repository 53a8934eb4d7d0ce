"""A line through points in a loop of its own; the momentum is mistyped."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(9)
rng = np.random.default_rng(9)
x = rng.normal(size=(600, 5)).astype(np.float32)
y = (x @ rng.normal(size=(5, 1)) + 0.3 * rng.normal(size=(600, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(20)

net = nn.SequentialCell(nn.Dense(5, 12), nn.ReLU(), nn.Dense(12, 1))
optimizer = nn.Momentum(net.trainable_params(), 1e-3, 0.9975)
mse = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda a, b: mse(net(a), b), None, optimizer.parameters)
batches = data.create_tuple_iterator(num_epochs=5)
for epoch in range(5):
    for a, b in batches:
        loss, grads = grad_fn(a, b)
        optimizer(grads)
    print(epoch, loss)
