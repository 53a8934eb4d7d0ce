import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from sklearn.datasets import load_diabetes

np.random.seed(0)
ms.set_seed(0)
X, y = load_diabetes(return_X_y=True)
X = (X / X.std(0)).astype(np.float32)
y = (y / 50.0).astype(np.float32).reshape(-1, 1)


class DiabetesNet(nn.Cell):
    def __init__(self, n_hidden):
        super().__init__()
        self.fc1 = nn.Dense(10, n_hidden)
        self.fc2 = nn.Dense(n_hidden, 1)

    def construct(self, x):
        x = ops.tanh(self.fc1(x))
        x = self.fc2(x)
        return x


model = DiabetesNet(15)
optimizer = nn.RMSProp(model.trainable_params(), learning_rate=0.005)


def loss_fn(x, t):
    return ops.mse_loss(model(x), t)


grad_fn = ms.value_and_grad(loss_fn, None, optimizer.parameters)
train_x, train_y = ms.Tensor(X[:342]), ms.Tensor(y[:342])
for i in range(300):
    loss, grads = grad_fn(train_x, train_y)
    optimizer(grads)
    if (i + 1) % 50 == 0:
        print(i + 1, loss.asnumpy())
print("test mse", loss_fn(ms.Tensor(X[342:]), ms.Tensor(y[342:])))
