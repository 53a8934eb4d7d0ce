import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.common.initializer import HeUniform
from sklearn.datasets import load_wine

np.random.seed(0)
ms.set_seed(0)
X, y = load_wine(return_X_y=True)
X = ((X - X.mean(0)) / X.std(0)).astype(np.float32)
y = y.astype(np.int32)
p = np.random.permutation(len(X))
X, y = X[p], y[p]


class WineNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.h1 = nn.Dense(13, 16, weight_init=HeUniform())
        self.h2 = nn.Dense(16, 3)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.h2(self.relu(self.h1(x)))


net = WineNet()
loss_fn = nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), 0.05)
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)
for epoch in range(25):
    for i in range(0, 140, 20):
        loss = step(ms.Tensor(X[i : i + 20]), ms.Tensor(y[i : i + 20]))
    if epoch % 5 == 0:
        print(epoch, loss)
print("acc", (net(ms.Tensor(X[140:])).asnumpy().argmax(1) == y[140:]).mean())
