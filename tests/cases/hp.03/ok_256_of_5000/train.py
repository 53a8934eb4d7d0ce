"""Classifies synthetic particles in batches of 256."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import make_classification

ms.set_seed(43)
x, y = make_classification(n_samples=5000, n_features=12, n_informative=6, n_classes=3, random_state=43)
x = ((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32)
train_set = ds.NumpySlicesDataset((x, y.astype(np.int32)), ["hits", "particle"], shuffle=True).batch(256)

net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 3))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.005)


def forward(hits, particle):
    return ops.cross_entropy(net(hits), particle)


value_and_grad = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def step(hits, particle):
    loss, grads = value_and_grad(hits, particle)
    optimizer(grads)
    return loss


net.set_train()
batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for hits, particle in batches:
        loss = step(hits, particle)
    print("epoch", epoch, "loss", float(loss))
