"""A functional loop; ``evaluate`` computes the validation loss with a function and gives it back."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(5)
rng = np.random.default_rng(5)
X = rng.standard_normal((160, 12)).astype(np.float32)
Y = (X[:, 0] + 1.5 * rng.standard_normal(160) > 0).astype(np.int32)


def create(x, y, training):
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=training).batch(16)


net = nn.SequentialCell(nn.Dense(12, 96), nn.ReLU(), nn.Dense(96, 96), nn.ReLU(), nn.Dense(96, 2))
optimizer = nn.Adam(net.trainable_params(), 2e-3)


def forward(x, y):
    return ops.cross_entropy(net(x), y)


grad = ms.value_and_grad(forward, None, optimizer.parameters)


def train_epoch(data):
    net.set_train(True)
    for x, y in data.create_tuple_iterator():
        loss, grads = grad(x, y)
        optimizer(grads)
    return float(loss)


def evaluate(data):
    net.set_train(False)
    total = batches = 0
    for x, y in data.create_tuple_iterator():
        total += float(ops.cross_entropy(net(x), y))
        batches += 1
    return total / batches


def main():
    train_set, held_out = create(X[:80], Y[:80], True), create(X[80:], Y[80:], False)
    for epoch in range(24):
        loss = train_epoch(train_set)
        val_loss = evaluate(held_out)
        print(f"{epoch}: {loss:.3f} {val_loss:.3f}")


main()
