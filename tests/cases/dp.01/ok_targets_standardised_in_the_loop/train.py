"""Prices as they are in the data, standardised in the loop before the loss."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(43)
rng = np.random.default_rng(43)
x = rng.normal(size=(600, 4)).astype(np.float32)
price = (250000 + 60000 * (x @ rng.normal(size=(4, 1)))).astype(np.float32)
mean, std = float(price.mean()), float(price.std())
data = ds.NumpySlicesDataset((x, price), ["x", "price"], shuffle=True).batch(20)

net = nn.SequentialCell(nn.Dense(4, 12), nn.Tanh(), nn.Dense(12, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 1e-2)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for features, target in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(features, (target - mean) / std)
        optimizer(grads)
    print(epoch, float(loss))
