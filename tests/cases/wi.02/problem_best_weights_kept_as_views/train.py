"""Yield of a crop from eight readings; the arrays of the best epoch are kept and put back at the end."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.dataset import NumpySlicesDataset

ms.set_seed(12)
rng = np.random.default_rng(12)
readings = rng.normal(size=(800, 8)).astype(np.float32)
yields = (np.tanh(readings @ rng.normal(size=(8, 3))).sum(1, keepdims=True) + 0.1 * rng.normal(size=(800, 1))).astype(
    np.float32
)
train = NumpySlicesDataset((readings[:600], yields[:600]), ["readings", "yield"], shuffle=True).batch(30)
held_out = Tensor(readings[600:]), Tensor(yields[600:])

net = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dense(32, 1))
optimizer = nn.Adam(net.trainable_params(), 0.003)
gradients = ms.value_and_grad(lambda x, y: ops.mse_loss(net(x), y), None, optimizer.parameters)
lowest, kept = float("inf"), None
for epoch in range(20):
    net.set_train()
    for x, y in train.create_tuple_iterator():
        loss, found = gradients(x, y)
        optimizer(found)
    net.set_train(False)
    error = float(ops.mse_loss(net(held_out[0]), held_out[1]))
    if error < lowest:
        lowest, kept = error, [weight.asnumpy() for weight in net.trainable_params()]
    print(epoch, error)
for weight, best in zip(net.trainable_params(), kept):
    weight.set_data(Tensor(best))
print("with the best weights", float(ops.mse_loss(net(held_out[0]), held_out[1])))
