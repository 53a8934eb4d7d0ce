"""Trains far too long, but saves the best weights and goes back to them; with a compiled step."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(54)
rng = np.random.default_rng(54)
x = rng.normal(size=(260, 12)).astype(np.float32)
y = (x[:, 0] + 0.8 * rng.normal(size=260) > 0).astype(np.int32)
train_set = ds.NumpySlicesDataset((x[:80], y[:80]), ["x", "y"], shuffle=True).batch(20)
valid_set = ds.NumpySlicesDataset((x[80:], y[80:]), ["x", "y"], shuffle=False).batch(60)
net = nn.SequentialCell(nn.Dense(12, 128), nn.ReLU(), nn.Dense(128, 2))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 4e-3)


def forward(features, label):
    return loss_fn(net(features), label)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(features, label):
    loss, grads = grad_fn(features, label)
    optimizer(grads)
    return loss


best = float("inf")
for epoch in range(50):
    net.set_train(True)
    for features, label in train_set.create_tuple_iterator():
        train_step(features, label)
    if epoch % 2 == 0:
        net.set_train(False)
        loss = np.mean([float(loss_fn(net(a), b)) for a, b in valid_set.create_tuple_iterator()])
        if loss < best:
            best = loss
            ms.save_checkpoint(net, "best.ckpt")
ms.load_param_into_net(net, ms.load_checkpoint("best.ckpt"))
print("best validation loss", best)
