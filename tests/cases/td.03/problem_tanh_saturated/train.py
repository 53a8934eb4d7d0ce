"""Pixels from 0 to 255 drive every tanh to its ends from the first step on; a functional loop in PyNative mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(5)
rng = np.random.default_rng(5)
y = np.tile(np.arange(3), 80).astype(np.int32)
x = rng.integers(0, 120, size=(240, 1, 8, 8)).astype(np.float32)
x[np.arange(240), 0, y * 2] += 135
data = ds.NumpySlicesDataset((x, y), ["image", "label"], shuffle=True).batch(24)

net = nn.SequentialCell(
    nn.Flatten(),
    nn.Dense(64, 32, weight_init=Normal(0.3)),
    nn.Tanh(),
    nn.Dense(32, 3),
)
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
grad_fn = ms.value_and_grad(lambda images, labels: loss_fn(net(images), labels), None, optimizer.parameters)

for epoch in range(2):
    for images, labels in data.create_tuple_iterator():
        loss, grads = grad_fn(images, labels)
        optimizer(grads)
    print(epoch, float(loss))
