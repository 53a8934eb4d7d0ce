"""Predictions over a data set that keeps its order, and the labels of another that is shuffled come out of the same loop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(7)
rng = np.random.default_rng(7)
x = rng.normal(size=(800, 6)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(6, 3)), axis=1).astype(np.int32)
x_fit, x_rest, y_fit, y_rest = x[:600], x[600:], y[:600], y[600:]
fit = ds.NumpySlicesDataset((x_fit, y_fit), ["x", "y"], shuffle=True).batch(30)
rest = ds.NumpySlicesDataset((x_rest, y_rest), ["x", "y"], shuffle=False).batch(50)
mixed = ds.NumpySlicesDataset((x_rest, y_rest), ["x", "y"]).batch(50)

net = nn.SequentialCell(nn.Dense(6, 24), nn.ReLU(), nn.Dense(24, 3))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
gradient = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
for epoch in range(15):
    for features, label in fit.create_tuple_iterator():
        loss, grads = gradient(features, label)
        optimizer(grads)

net.set_train(False)
found, pairs = [], []
for features, _ in rest.create_tuple_iterator():
    found.append(net(features).asnumpy().argmax(axis=1))
for features, label in mixed.create_tuple_iterator():
    pairs.append(net(features).asnumpy().argmax(axis=1) == label.asnumpy())
print((np.concatenate(found) == y_rest).mean(), np.concatenate(pairs).mean(), len(y_rest))
