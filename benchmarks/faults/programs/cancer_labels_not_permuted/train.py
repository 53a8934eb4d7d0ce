import mindspore as ms
import numpy as np
from mindspore import nn
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

np.random.seed(42)
data = load_breast_cancer()
X = StandardScaler().fit_transform(data.data).astype(np.float32)
y = data.target.astype(np.float32)

# shuffle
idx = np.random.permutation(len(X))
X = X[idx]
y = y[idx]
X_train, X_test = X[:450], X[450:]
y_train, y_test = y[:450], y[450:]

net = nn.SequentialCell(nn.Dense(30, 16), nn.ReLU(), nn.Dense(16, 1))
loss_fn = nn.BCEWithLogitsLoss()
opt = nn.Adam(net.trainable_params(), 0.005)


def forward(a, b):
    return loss_fn(net(a).squeeze(1), b)


grad = ms.value_and_grad(forward, None, opt.parameters)
for epoch in range(15):
    net.set_train(True)
    for i in range(0, 450, 30):
        loss, g = grad(ms.Tensor(X_train[i : i + 30]), ms.Tensor(y_train[i : i + 30]))
        opt(g)
    net.set_train(False)
    p = net(ms.Tensor(X_test)).squeeze(1).asnumpy() > 0
    print(epoch, loss, "val acc", (p == y_test).mean())
