import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(3)
rng = np.random.default_rng(3)
points = rng.normal(size=(600, 5)).astype(np.float32)
above = (points @ rng.normal(size=5) > 0).astype(np.float32)
train, held = slice(0, 480), slice(480, 600)

net = nn.SequentialCell(nn.Dense(5, 12), nn.Tanh(), nn.Dense(12, 1))
loss_fn = nn.BCEWithLogitsLoss()
optimizer = nn.Adam(net.trainable_params(), 0.01)


def forward(x, y):
    return loss_fn(net(x), y)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


def score(x, y):
    given = net(Tensor(x)).asnumpy()
    return np.mean((given > 0) == (y > 0.5))


for epoch in range(8):
    order = rng.permutation(480)
    for rows in order.reshape(-1, 40):
        loss, grads = grad_fn(Tensor(points[train][rows]), Tensor(above[train][rows][:, None]))
        optimizer(grads)
    print(epoch, float(loss), score(points[held], above[held]))
