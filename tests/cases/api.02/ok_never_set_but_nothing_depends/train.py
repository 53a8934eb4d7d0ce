"""Regression on a noisy surface; the training function follows the quick start, without set_train."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_seed(8)

rng = np.random.default_rng(8)
x = rng.normal(size=(1200, 5)).astype(np.float32)
y = (np.sin(x[:, :1] * 2) + 0.5 * x[:, 1:2] * x[:, 2:3]).astype(np.float32)
train_set = ds.NumpySlicesDataset({"x": x[:1000], "y": y[:1000]}, shuffle=True).batch(40)

net = nn.SequentialCell(nn.Dense(5, 40), nn.LayerNorm((40,)), nn.GELU(), nn.Dense(40, 1))
net_with_loss = nn.WithLossCell(net, nn.MSELoss())
optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=5e-3)
grad = ops.GradOperation(get_by_list=True)(net_with_loss, optimizer.parameters)

batches = train_set.create_tuple_iterator(num_epochs=3)
for epoch in range(3):
    for features, target in batches:
        optimizer(grad(features, target))
    error = nn.MSELoss()(net(ms.Tensor(x[1000:])), ms.Tensor(y[1000:]))
    print(f"epoch {epoch}: held-out error {float(error):.3f}")
