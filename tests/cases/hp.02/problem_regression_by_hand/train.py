"""Regression on plain arrays; the function for the held-out error gives back two numbers, by hand in NumPy."""

import mindspore as ms
import numpy as np
from mindspore import nn

ms.set_seed(9)
rng = np.random.default_rng(9)
X = rng.uniform(-1, 1, (96, 8)).astype(np.float32)
Y = (np.sin(3 * X[:, :1]) + 0.8 * rng.standard_normal((96, 1))).astype(np.float32)
x_train, y_train, x_val, y_val = X[:48], Y[:48], X[48:], Y[48:]

net = nn.SequentialCell(nn.Dense(8, 96), nn.Tanh(), nn.Dense(96, 96), nn.Tanh(), nn.Dense(96, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 3e-3)
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)


def held_out_errors():
    predicted = net(ms.Tensor(x_val)).asnumpy()
    return np.abs(predicted - y_val).mean(), float(((predicted - y_val) ** 2).mean())


history = []
for epoch in range(60):
    order = rng.permutation(48)
    for start in range(0, 48, 16):
        picked = order[start : start + 16]
        loss, grads = grad(ms.Tensor(x_train[picked]), ms.Tensor(y_train[picked]))
        optimizer(grads)
    if epoch % 3 == 2:
        mae, mse = held_out_errors()
        history.append(mse)
print(float(loss), history[-1])
