"""A supervised contrastive loss, a function, whose positives are the samples of the own class."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(2)
rng = np.random.default_rng(2)
label = rng.integers(0, 3, 480).astype(np.int32)
x = (rng.normal(size=(3, 12))[label] * 1.5 + rng.normal(size=(480, 12))).astype(np.float32)
data = ds.NumpySlicesDataset((x, label), ["x", "label"], shuffle=True).batch(32)
net = nn.SequentialCell(nn.Dense(12, 32), nn.ReLU(), nn.Dense(32, 8))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.003)


def supcon(features, labels):
    features = features / features.norm(dim=1, keepdim=True)
    scores = ops.matmul(features, features.T) / 0.5
    others = 1 - ops.eye(features.shape[0], features.shape[0], ms.float32)
    logs = scores - ops.log((ops.exp(scores) * others).sum(axis=1, keepdims=True))
    positives = (labels.expand_dims(1) == labels.expand_dims(0)).astype(ms.float32) * others
    return -((logs * positives).sum(axis=1) / (positives.sum(axis=1) + 1e-6)).mean()


def forward(batch, labels):
    return supcon(net(batch), labels)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(batch, labels):
    loss, grads = grad_fn(batch, labels)
    optimizer(grads)
    return loss


for epoch in range(8):
    for batch, labels in data.create_tuple_iterator():
        loss = train_step(batch, labels)
    print(epoch, float(loss))
