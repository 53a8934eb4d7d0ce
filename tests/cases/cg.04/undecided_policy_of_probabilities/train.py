"""A policy gives probabilities by softmax, and the loss takes their logarithm times the advantage."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(3)
rng = np.random.default_rng(3)
states = rng.normal(size=(320, 8)).astype(np.float32)
actions = rng.integers(0, 3, 320).astype(np.int32)
advantages = rng.normal(size=320).astype(np.float32)
data = ds.NumpySlicesDataset((states, actions, advantages), ["s", "a", "r"], shuffle=True).batch(32)
net = nn.SequentialCell(nn.Dense(8, 16), nn.Tanh(), nn.Dense(16, 3), nn.Softmax(axis=-1))


def forward(state, action, advantage):
    p = ops.gather_elements(net(state), 1, action.expand_dims(1))[:, 0]
    return -(ops.log(p) * advantage).mean()


optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(2):
    for batch in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(*batch)
        optimizer(grads)
    print(epoch, float(loss))
