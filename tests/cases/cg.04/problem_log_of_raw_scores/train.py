"""A negative log-likelihood by hand for probabilities, given the scores of a network without softmax; compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(6)
rng = np.random.default_rng(6)
x = rng.normal(size=(320, 10)).astype(np.float32)
y = np.argmax(x @ rng.normal(size=(10, 4)), axis=1).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(32)

net = nn.SequentialCell(nn.Dense(10, 16), nn.ReLU(), nn.Dense(16, 4))
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-2)
on, off = ms.Tensor(1.0), ms.Tensor(0.0)


def likelihood_loss(probabilities, labels):
    chosen = (probabilities * ops.one_hot(labels, 4, on, off)).sum(1)
    return -ops.log(ops.clamp(chosen, 1e-6, 1e6)).mean()


def forward(inputs, labels):
    return likelihood_loss(net(inputs), labels)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(inputs, labels):
    loss, grads = grad_fn(inputs, labels)
    optimizer(grads)
    return loss


net.set_train()
for epoch in range(3):
    for inputs, labels in data.create_tuple_iterator(num_epochs=1):
        loss = train_step(inputs, labels)
    print(epoch, float(loss))
