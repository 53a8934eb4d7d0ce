"""Adam at a rate of 0.5 on saturating layers: the loss comes down somewhat, and stays where it is."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 6)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(10, 24), nn.Tanh(), nn.Dense(24, 24), nn.Tanh(), nn.Dense(24, 6))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.5)


def forward(inputs, labels):
    return loss_fn(net(inputs), labels)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(18):
    for inputs, labels in data.create_tuple_iterator():
        loss, grads = grad_fn(inputs, labels)
        optimizer(grads)
    print(epoch, float(loss))
