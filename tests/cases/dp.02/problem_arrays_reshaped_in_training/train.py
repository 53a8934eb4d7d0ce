"""Colour pictures as arrays: for training reshaped to (N, C, H, W), for inference transposed; no pipeline for either."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(9)
rng = np.random.default_rng(9)
pictures = rng.uniform(0, 0.3, (320, 8, 8, 3)).astype(np.float32)
kinds = rng.integers(0, 3, 320).astype(np.int32)
for picture, kind in zip(pictures, kinds):
    picture[:, kind::3, 2] += 0.7
train_x, test_x = pictures[:240], pictures[240:]
train_x = train_x.reshape(-1, 3, 8, 8)

net = nn.SequentialCell(nn.Conv2d(3, 8, 3, has_bias=True), nn.ReLU(), nn.Flatten(), nn.Dense(8 * 64, 3))
optimizer = nn.Adam(net.trainable_params(), 3e-3)
step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
for epoch in range(3):
    net.set_train()
    for rows in np.split(rng.permutation(240), 12):
        loss, gradients = step(ms.Tensor(train_x[rows]), ms.Tensor(kinds[:240][rows]))
        optimizer(gradients)
    net.set_train(False)
    scores = net(ms.Tensor(np.ascontiguousarray(np.transpose(test_x, (0, 3, 1, 2)))))
    print(epoch, loss, (scores.asnumpy().argmax(1) == kinds[240:]).mean())
