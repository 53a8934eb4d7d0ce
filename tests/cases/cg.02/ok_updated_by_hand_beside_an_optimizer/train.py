"""The optimizer lends its parameters alone: the updates are made by hand."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import NumpySlicesDataset

ms.set_seed(3)
rng = np.random.default_rng(3)
labels = rng.integers(0, 3, 130).astype(np.int32)
points = (rng.normal(size=(3, 13))[labels] + 0.3 * rng.normal(size=(130, 13))).astype(np.float32)
data = NumpySlicesDataset((points, labels), ["point", "label"], shuffle=True).batch(13)
network = nn.SequentialCell(nn.Dense(13, 16), nn.ReLU(), nn.Dense(16, 3))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.SGD(network.trainable_params(), 0.1)
gradient = ms.value_and_grad(lambda x, y: loss_fn(network(x), y), None, optimizer.parameters)
batches = data.create_tuple_iterator(num_epochs=6)
for epoch in range(6):
    for x, y in batches:
        loss, grads = gradient(x, y)
        for weight, grad in zip(optimizer.parameters, grads):
            ops.assign_sub(weight, 0.1 * grad)
    print(epoch, float(loss))
