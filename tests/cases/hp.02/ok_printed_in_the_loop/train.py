"""A score is computed in the loop itself, with no function around it, and levels off; the printed loss is the training's."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(1)
rng = np.random.default_rng(0)
features = rng.normal(size=(384, 4)).astype(np.float32)
targets = (features @ np.array([1.0, -2.0, 0.5, 0.0]) + 0.3 * rng.normal(size=384)).astype(np.float32)[:, None]
net = nn.Dense(4, 1)
loss_fn, optimizer = nn.MSELoss(), nn.Adam(net.trainable_params(), 5e-2)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
held_out = Tensor(features[256:])

for epoch in range(16):
    net.set_train()
    order, total = rng.permutation(256), 0.0
    for start in range(0, 256, 32):
        rows = order[start : start + 32]
        loss, grads = grad_fn(Tensor(features[rows]), Tensor(targets[rows]))
        optimizer(grads)
        total += float(loss)
    net.set_train(False)
    predicted = net(held_out).asnumpy()
    rmse = np.sqrt(((predicted - targets[256:]) ** 2).mean())
    print(epoch, "loss", total / 8, "rmse", rmse)
