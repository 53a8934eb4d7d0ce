import mindspore as ms
import numpy as np
from mindspore import nn
from sklearn.datasets import load_diabetes

ms.set_seed(3)
data = load_diabetes()
X = data.data.astype(np.float32)
X = (X - X.mean(0)) / X.std(0)
price = data.target.astype(np.float32) * 1000 + 50000  # dollars
y = (price - price.mean()) / price.std()

x_train, x_test = X[:350], X[350:]
y_train, y_test = y[:350, None], y[350:, None]


class Regressor(nn.Cell):
    def __init__(self, hidden=20):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(10, hidden), nn.ReLU(), nn.Dense(hidden, 1))

    def construct(self, x):
        return self.layers(x)


net = Regressor()
criterion = nn.MSELoss()
opt = nn.Adam(net.trainable_params(), learning_rate=0.001)
grad_fn = ms.value_and_grad(lambda a, b: criterion(net(a), b), None, opt.parameters)

batch_size = 16
for epoch in range(50):
    order = np.random.permutation(len(x_train))
    losses = []
    for i in range(0, len(order), batch_size):
        idx = order[i : i + batch_size]
        loss, grads = grad_fn(ms.Tensor(x_train[idx]), ms.Tensor(y_train[idx]))
        opt(grads)
        losses.append(float(loss))
    print(epoch, np.mean(losses))

err = net(ms.Tensor(x_test)).asnumpy() - y_test
print("R2", 1 - (err**2).sum() / ((y_test - y_test.mean()) ** 2).sum())
