"""A policy gradient: returns weigh the log-probabilities of the actions, and their signs are the environment's."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(4)
rng = np.random.default_rng(4)
net = nn.SequentialCell(nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 3))
optimizer = nn.Adam(net.trainable_params(), 1e-2)


def forward(states, actions, scores):
    logs = ops.log_softmax(net(states), -1)
    return -(ops.gather_elements(logs, 1, actions.expand_dims(1)).squeeze(1) * scores).mean()


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for episode in range(20):
    states = rng.normal(size=(16, 4)).astype(np.float32)
    actions = rng.integers(0, 3, 16).astype(np.int32)
    scores = np.where(actions == states[:, :3].argmax(1), 0.2, -1.0).astype(np.float32)
    loss, grads = grad_fn(Tensor(states), Tensor(actions), Tensor(scores))
    optimizer(grads)
print(float(loss))
