"""A regression by AdamWeightDecay at a rate of 1e-6, with clipped gradients: nothing moves, and no range test can be made."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(11)
rng = np.random.default_rng(11)
x = rng.normal(size=(640, 8)).astype(np.float32)
y = (np.sin(x @ rng.normal(size=(8, 1))) + 0.1 * rng.normal(size=(640, 1))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(8, 32), nn.Tanh(), nn.Dense(32, 1))
optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=1e-6)
mse = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda a, b: mse(net(a), b), None, optimizer.parameters)
net.set_train()
batches = data.create_tuple_iterator(num_epochs=4)
for epoch in range(4):
    for a, b in batches:
        loss, grads = grad_fn(a, b)
        optimizer(ops.clip_by_global_norm(grads, 0.1))
    print(epoch, loss)
