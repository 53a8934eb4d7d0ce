"""Estimates flow rates; trained by hand, validated after every epoch."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

ms.set_seed(32)
rng = np.random.default_rng(32)
readings = np.stack([rng.normal(300, 12, 600), rng.normal(1.2, 0.2, 600), rng.normal(50, 9, 600)], axis=1).astype(
    np.float32
)
flow = (0.02 * (readings[:, :1] - 300) + readings[:, 1:2] - 0.03 * readings[:, 2:]).astype(np.float32)

train_x, test_x = readings[:450], readings[450:]
mean, std = train_x.mean(axis=0), train_x.std(axis=0)
train_x = (train_x - mean) / std
train_set = ds.NumpySlicesDataset((train_x, flow[:450]), ["readings", "flow"], shuffle=True).batch(30)
test_set = ds.NumpySlicesDataset((test_x, flow[450:]), ["readings", "flow"], shuffle=False).batch(50)

net = nn.SequentialCell(nn.Dense(3, 16), nn.Tanh(), nn.Dense(16, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 0.01)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

for epoch in range(3):
    net.set_train(True)
    for x, y in train_set.create_tuple_iterator():
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    net.set_train(False)
    errors = [float(loss_fn(net(x), y)) for x, y in test_set.create_tuple_iterator()]
    print(f"epoch {epoch}: train {float(loss):.4f}, test {np.mean(errors):.4f}")
