"""A cross entropy written out by hand that is right, and a softmax that is only reported."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(10, 16), nn.ReLU(), nn.Dense(16, 4))
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)


def cross_entropy(logits, labels):
    chosen = ops.log_softmax(logits, 1) * ops.one_hot(labels, 4, ms.Tensor(1.0), ms.Tensor(0.0))
    return -chosen.sum(1).mean()


def forward(x, y):
    logits = net(x)
    return cross_entropy(logits, y), ops.softmax(logits, 1)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
net.set_train()
for epoch in range(2):
    for x_batch, y_batch in data.create_tuple_iterator(num_epochs=1):
        (loss, _), grads = grad_fn(x_batch, y_batch)
        optimizer(grads)
    print(epoch, float(loss))
