import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore.common.initializer import Normal
from sklearn.datasets import make_moons

ms.set_seed(5)
X, y = make_moons(500, noise=0.1, random_state=0)
X, y = X.astype(np.float32), y.astype(np.float32)[:, None]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        w = Normal(sigma=0.5)
        self.d1 = nn.Dense(2, 32, weight_init=w)
        self.d2 = nn.Dense(32, 32, weight_init=w)
        self.d3 = nn.Dense(32, 1, weight_init=w)

    def construct(self, x):
        x = self.d1(x).sigmoid()
        x = self.d2(x).sigmoid()
        return self.d3(x)


net = Net()
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.BCEWithLogitsLoss()), nn.SGD(net.trainable_params(), 0.5))
for it in range(600):
    b = np.random.randint(0, 500, 50)
    loss = step(Tensor(X[b]), Tensor(y[b]))
    if it % 100 == 0:
        print(it, loss)
print("acc", ((net(Tensor(X)).asnumpy() > 0) == y).mean())
