"""Two classes, sigmoid output and a cross-entropy written by hand, PyNative mode."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import make_blobs

ms.set_seed(53)
ms.set_context(mode=ms.PYNATIVE_MODE)

x, y = make_blobs(n_samples=1000, centers=[(-1.5, -1.5), (1.5, 1.5)], cluster_std=0.7, random_state=53)
x = x.astype(np.float32)
y = y[:, None].astype(np.float32)
train_set = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).batch(50)

net = nn.SequentialCell(nn.Dense(2, 32), nn.ReLU(), nn.Dense(32, 32), nn.ReLU(), nn.Dense(32, 1), nn.Sigmoid())
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.5, momentum=0.9)


def forward(x, y):
    p = net(x)
    return -(y * ops.log(p) + (1 - y) * ops.log(1 - p)).mean()


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=4)
for epoch in range(4):
    for features, label in batches:
        loss, grads = grad_fn(features, label)
        optimizer(grads)
    print(f"epoch {epoch}: {float(loss)}")
