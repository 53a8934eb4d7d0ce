"""A series that rises: later windows lie above all that was trained on, and the lowest and highest value of training bring both
to scale; a loop in PyNative mode."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(6)
rng = np.random.default_rng(6)
weeks = np.arange(420)
visitors = 300 + 4.0 * weeks + 60 * np.sin(2 * np.pi * weeks / 52) + rng.normal(0, 10, 420)
early, late = visitors[:300], visitors[300:]
low, width = early.min(), early.max() - early.min()
early_scaled = (early - low) / width
late_scaled = (late - low) / width


def pairs(series, back=10):
    rows = np.stack([series[at : at + back + 1] for at in range(len(series) - back)]).astype(np.float32)
    return rows[:, :-1], rows[:, -1:]


x, y = pairs(early_scaled)
x_late, y_late = pairs(late_scaled)
net = nn.SequentialCell([nn.Dense(10, 16), nn.ReLU(), nn.Dense(16, 1)])
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), 0.003)
grads_of = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
for epoch in range(25):
    order = rng.permutation(len(x))
    for start in range(0, len(x) - 31, 32):
        picked = order[start : start + 32]
        loss, grads = grads_of(Tensor(x[picked]), Tensor(y[picked]))
        optimizer(grads)
error = np.abs(net(Tensor(x_late)).asnumpy() - y_late).mean() * width
print("loss", float(loss), "mean error of the later weeks", error)
