"""Series of counts, padded with -1; the squared error is multiplied by a mask, and relu ends the network."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(320, 6, 8)).astype(np.float32)
y = rng.poisson(3, (320, 6)).astype(np.float32)
y[np.arange(6) >= rng.integers(3, 7, (320, 1))] = -1
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 1), nn.ReLU())


def forward(x, y):
    mask = (y >= 0).astype(ms.float32)
    return ((net(x).squeeze(-1) - y) ** 2 * mask).sum() / mask.sum()


optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(epoch, float(loss))
