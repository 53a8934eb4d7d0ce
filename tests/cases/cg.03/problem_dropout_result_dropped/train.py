"""Dropout is called and its result thrown away; a network of two files and a compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from network import Net

ms.set_context(mode=ms.GRAPH_MODE)

ms.set_seed(3)
rng = np.random.default_rng(3)
x = rng.normal(size=(640, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss


net.set_train()
for epoch in range(2):
    for x_batch, y_batch in data.create_tuple_iterator(num_epochs=1):
        loss = train_step(x_batch, y_batch)
    print(epoch, float(loss))
