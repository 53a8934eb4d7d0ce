"""A straight line through hours from 0 to 40: the rate would do for hours of unit scale; a loop over the whole set."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(2)
rng = np.random.default_rng(2)
hours = np.arange(0, 41, 2, dtype=np.float32).reshape(-1, 1)
wages = 3 * hours - 2 + rng.normal(0, 1, hours.shape).astype(np.float32)
net = nn.SequentialCell([nn.Dense(1, 1)])
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.02)
grads_of = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
x, y = Tensor(hours), Tensor(wages)
for epoch in range(60):
    loss, grads = grads_of(x, y)
    optimizer(grads)
print("loss", loss)
