"""A loop over NumPy arrays in a new order every epoch; compiled step, no data set."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(0)
rng = np.random.default_rng(0)
N, C = 600, 5
Y = rng.integers(0, C, N).astype(np.int32)
X = (rng.normal(size=(C, 20))[Y] * 2 + rng.normal(size=(N, 20))).astype(np.float32)
model = nn.SequentialCell(nn.Dense(20, 64), nn.ReLU(), nn.Dense(64, C))
optimizer = nn.Momentum(model.trainable_params(), learning_rate=0.02, momentum=0.9)


@ms.jit
def train_step(x, y):
    def f(x, y):
        return ops.cross_entropy(model(x), y)

    loss, grads = ms.value_and_grad(f, None, optimizer.parameters)(x, y)
    optimizer(grads)
    return loss


for epoch in range(6):
    model.set_train(True)
    for rows in np.array_split(rng.permutation(500), 20):
        loss = train_step(Tensor(X[rows]), Tensor(Y[rows]))
    model.set_train(False)
    acc = (model(Tensor(X[500:])).asnumpy().argmax(1) == Y[500:]).mean()
    print(epoch, float(loss), acc)
