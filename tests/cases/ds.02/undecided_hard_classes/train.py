"""Classes that overlap: the network is often wrong, and never sure."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
y = rng.integers(0, 4, 960).astype(np.int32)
x = (0.7 * np.eye(4)[y] @ rng.normal(size=(4, 10)) + rng.normal(size=(960, 10))).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)
net = nn.SequentialCell(nn.Dense(10, 16), nn.ReLU(), nn.Dense(16, 4))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(epoch, float(loss))
