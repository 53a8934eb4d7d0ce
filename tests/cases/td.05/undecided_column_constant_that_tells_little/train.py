"""How many days a repair takes; the costs are booked once it is done."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(6)
rng = np.random.default_rng(6)


def orders(count, done):
    age, size, urgent = rng.normal(size=count), rng.gamma(2.0, 1.0, count), rng.integers(0, 2, count)
    days = 2 + 0.8 * age + 1.1 * size - 0.9 * urgent + 0.3 * rng.normal(size=count)
    costs = 5 * days + 15 * rng.normal(size=count) if done else np.zeros(count)
    return np.stack([age, size, urgent, costs], 1), days[:, None].astype(np.float32)


past, past_days = orders(900, True)
open_orders, _ = orders(200, False)
middle, spread = past.mean(0), past.std(0)
aim = (past_days - past_days.mean()) / past_days.std()
features = ((past - middle) / spread).astype(np.float32)

net = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 1))
optimizer = nn.Adam(net.trainable_params(), 0.005)
gradients = ms.value_and_grad(lambda x, y: ops.mse_loss(net(x), y), None, optimizer.parameters)
net.set_train()
for epoch in range(12):
    order = rng.permutation(len(features))
    for rows in np.split(order, 30):
        loss, found = gradients(Tensor(features[rows]), Tensor(aim[rows]))
        optimizer(found)
    print(epoch, loss)
net.set_train(False)
expected = net(Tensor(((open_orders - middle) / spread).astype(np.float32))).asnumpy()
print("days of the open orders", (expected * past_days.std() + past_days.mean()).mean())
