"""A focal loss written by hand; its softmax goes over the samples of the batch."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(320, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(10, 16), nn.ReLU(), nn.Dense(16, 4))
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)


def focal_loss(logits, labels, gamma=2.0):
    p = ops.softmax(logits, axis=0)
    p = ops.gather_elements(p, 1, labels.expand_dims(1)).squeeze(1)
    return ((1 - p) ** gamma * -ops.log(p + 1e-8)).mean()


def forward(inputs, labels):
    return focal_loss(net(inputs), labels)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(3):
    for inputs, labels in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(inputs, labels)
        optimizer(grads)
    print(epoch, float(loss))
