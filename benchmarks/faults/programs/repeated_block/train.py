import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import MAE, LossMonitor, Model
from sklearn.datasets import make_friedman1

X, y = make_friedman1(1200, n_features=8, random_state=4)
X = (X * 2 - 1).astype(np.float32)
y = ((y - y.mean()) / y.std()).astype(np.float32).reshape(-1, 1)


class Block(nn.Cell):
    def __init__(self, n):
        super().__init__()
        self.dense = nn.Dense(n, n)
        self.act = nn.Tanh()

    def construct(self, x):
        return self.act(self.dense(x))


class Net(nn.Cell):
    def __init__(self, depth=4):
        super().__init__()
        self.first = nn.Dense(8, 24)
        self.body = nn.SequentialCell([Block(24) for _ in range(depth)])
        self.last = nn.Dense(24, 1)

    def construct(self, x):
        return self.last(self.body(self.first(x)))


net = Net()
train = ds.NumpySlicesDataset((X[:1000], y[:1000]), shuffle=True).batch(20)
test = ds.NumpySlicesDataset((X[1000:], y[1000:]), shuffle=False).batch(20)
model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.003), metrics={"mae": MAE()})
model.train(12, train, callbacks=[LossMonitor(50)], dataset_sink_mode=False)
print(model.eval(test, dataset_sink_mode=False))
