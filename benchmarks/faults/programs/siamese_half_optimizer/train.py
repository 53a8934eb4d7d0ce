import mindspore as ms
import numpy as np
from mindspore import nn, ops
from sklearn.datasets import load_digits

ms.set_seed(4)
np.random.seed(4)
X, y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)


def make_pairs(n, lo, hi):
    a = np.random.randint(lo, hi, n)
    b = np.random.randint(lo, hi, n)
    same = np.random.rand(n) < 0.5
    for i in np.where(same)[0]:
        b[i] = np.random.choice(np.where(y[lo:hi] == y[a[i]])[0]) + lo
    t = (y[a] == y[b]).astype(np.float32)
    return X[a], X[b], t


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(64, 64)
        self.fc2 = nn.Dense(64, 16)

    def construct(self, x):
        return self.fc2(ops.relu(self.fc1(x)))


class Siamese(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.head = nn.Dense(16, 1)

    def construct(self, a, b):
        d = ops.abs(self.encoder(a) - self.encoder(b))
        return self.head(d).reshape(-1)


net = Siamese()
loss_fn = nn.BCEWithLogitsLoss()
opt = nn.Adam(net.trainable_params(), learning_rate=0.003)
grad_fn = ms.value_and_grad(lambda a, b, t: loss_fn(net(a, b), t), None, opt.parameters)

a, b, t = make_pairs(3200, 0, 1500)
for epoch in range(5):
    for i in range(0, 3200, 64):
        s = slice(i, i + 64)
        loss, grads = grad_fn(ms.Tensor(a[s]), ms.Tensor(b[s]), ms.Tensor(t[s]))
        opt(grads)
    print(epoch, loss)
a, b, t = make_pairs(500, 1500, 1797)
p = net(ms.Tensor(a), ms.Tensor(b)).asnumpy() > 0
print("pair accuracy", (p == t).mean())
