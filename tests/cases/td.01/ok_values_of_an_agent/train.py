"""Q-learning on a chain of eight states: the targets move with the network, and the loss need not fall below their spread."""

import mindspore as ms
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(7)
rng = np.random.default_rng(7)
net, target = nn.Dense(8, 2), nn.Dense(8, 2)
optimizer = nn.SGD(net.trainable_params(), 0.1)
loss_fn = nn.MSELoss()


def forward(state, action, wanted):
    chosen = (net(state) * action).sum(axis=1)
    return loss_fn(chosen, wanted)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
eye = np.eye(8, dtype=np.float32)
for episode in range(150):
    if episode % 20 == 0:
        ms.load_param_into_net(target, {p.name: q for p, q in zip(target.get_parameters(), net.get_parameters())})
    at, move = rng.integers(0, 8, 16), rng.integers(0, 2, 16)
    after = np.clip(at + 2 * move - 1, 0, 7)
    reward = (after == 7).astype(np.float32)
    best = target(ms.Tensor(eye[after])).max(axis=1).asnumpy()
    wanted = ms.Tensor(reward + 0.9 * best)
    loss, grads = grad_fn(ms.Tensor(eye[at]), ms.Tensor(np.eye(2, dtype=np.float32)[move]), wanted)
    optimizer(grads)
print(float(loss))
